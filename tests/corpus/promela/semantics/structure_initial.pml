// The initial value of a structure is ignored, with a warning, as in SPIN.
// expect: assertions holds
// expect: end states holds
// states: plain 3 default 3

typedef T { byte x; byte y = 4 };
T t = 3;

init {
	assert(t.x == 0 && t.y == 4)
}
