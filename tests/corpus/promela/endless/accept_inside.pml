// expect: accepting cycles violated
//
// An accept label that an endless atomic sequence passes again and again.
byte x;
active proctype A() { atomic { do :: x = 1; accept: x = 0 od } }
