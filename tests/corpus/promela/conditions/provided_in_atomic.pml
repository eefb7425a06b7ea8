// The condition is looked at before each statement, also inside of an atomic sequence: the process is stuck there.
// expect: end states violated

byte x;
active proctype A() provided (x != 1) { byte l; atomic { x = 1; l = x; l = x } }
