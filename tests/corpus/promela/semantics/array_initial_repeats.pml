// A list of initial values that is too short repeats its last value; one that is too long is cut.
// expect: assertions holds
// expect: end states holds
// states: plain 4 default 4

byte a[4] = {5, 6};
byte b[2] = {1, 2, 3};

init {
	byte c[3] = {8, 9};
	assert(a[0] == 5 && a[1] == 6 && a[2] == 6 && a[3] == 6);
	assert(b[1] == 2 && c[2] == 9)
}
