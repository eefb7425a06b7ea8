// Timeout in an expression.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ (timeout && x==0) -> x=1 } active proctype B(){ (x==1) }
