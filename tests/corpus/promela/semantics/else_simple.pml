// Else = negation of all other guards.
// states: plain 9 default 9
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ do :: x<3 -> x++ :: else -> break od }
