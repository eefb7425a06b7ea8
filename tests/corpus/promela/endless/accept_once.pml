// expect: accepting cycles holds
//
// An accept label that is passed once.
byte x;
active proctype A() { atomic { x = 2; accept: x = 1; do :: x = 0 :: x = 1 od } }
