// Jump into the middle of an atomic.
// states: plain 16 default 13
// expect: assertions holds
// expect: end states holds

byte x,y; active proctype A(){ if :: goto M :: skip fi; atomic { x=1; M: x=2; x=3 } } active proctype B(){ y=x }
