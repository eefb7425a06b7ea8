// Goto from atomic to atomic keeps atomicity.
// states: plain 15 default 15
// expect: assertions violated

byte x; active proctype A(){ atomic { x=1; goto L }; x=7; L: atomic { assert(x==1); x=2 } } active proctype B(){ x=5 }
