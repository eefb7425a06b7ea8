// Death in reverse pid order: pid 0 ends first but must wait for pid 1.
// states: plain 7 default 7
// expect: assertions holds
// expect: end states holds

byte x,y; active proctype A(){ x=1 } active proctype B(){ y=1 }
