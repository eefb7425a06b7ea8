// Two timeouts are both enabled in the hang state.
// states: plain 13 default 11
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ timeout -> x=1 } active proctype B(){ timeout -> x=2 }
