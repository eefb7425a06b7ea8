// Acceptance label in proctype.
// expect: accepting cycles violated

byte x; active proctype A(){ accept: do :: x=1-x od }
