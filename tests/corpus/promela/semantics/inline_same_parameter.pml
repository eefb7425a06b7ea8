// Of two parameters with one name the body means the first.
// expect: assertions holds
// expect: end states holds
// states: plain 4 default 4

byte x;

inline set(a, a) { x = a }

init {
	set(3, 4);
	assert(x == 3)
}
