// expect: accepting cycles holds
//
// An accept label in a sequence that ends: nobody sees it.
byte x;
active proctype A() { do :: atomic { x = 1; accept: x = 0; x = 1 } od }
