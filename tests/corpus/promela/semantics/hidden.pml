// Hidden variable is out of the state.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

hidden byte h; byte x; active proctype A(){ do :: h=1; x=1-x :: h=2; x=1-x od }
