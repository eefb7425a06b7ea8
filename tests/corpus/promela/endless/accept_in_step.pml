// expect: accepting cycles violated
// expect: assertions violated
//
// The same in a d_step.
byte x;
active proctype A() { d_step { do :: x = 1; accept: x = 0 od } }
