// Lines may end with a carriage return alone.
// expect: assertions holds
// expect: end states holds
// states: plain 4 default 4

#define N 3 // threebyte x; // a comment ends with its lineinit {	x = N;	assert(x == N)}