// The assertion is not reached.
// expect: assertions holds
// expect: end states violated

byte x, y;
active proctype A() provided (x != 1) { byte l; atomic { x = 1; l = 1; assert(false) } }
