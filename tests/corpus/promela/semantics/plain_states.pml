// Three statements (global var).
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

byte x; init { x=1; x=2; x=3 }
