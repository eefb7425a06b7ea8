// Statements of one process are the condition of another.
// expect: assertions violated

byte x;
active proctype A() { byte l; l = 1; x = l; l = 2; x = 0 }
active proctype B() provided (x == 1) { byte l; l = 1; assert(x == 0) }
