// `-->` is read as `->`.
// expect: assertions holds
// expect: end states holds
// states: plain 4 default 4

byte x = 1;

init {
	x == 1 --> x = 2
}
