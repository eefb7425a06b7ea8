// expect: assertions violated
// expect: sometime violated
//
// The same in a d_step.
byte n, x;
active proctype A() { d_step { do :: n++; assert(n != 50) od } }
ltl sometime { <> (x == 1) }
