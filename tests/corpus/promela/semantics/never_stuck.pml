// A claim restricts the search; end states are checked on their own.
// expect: never_0 holds

byte x; active proctype A(){ x=1; x=2; x=3; false } never { do :: x<2 od }
