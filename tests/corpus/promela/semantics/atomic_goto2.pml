// Goto out of atomic drops atomicity.
// states: plain 15 default 15
// expect: assertions violated

byte x; active proctype A(){ atomic { x=1; goto L }; x=7; L: assert(x==1) } active proctype B(){ x=5 }
