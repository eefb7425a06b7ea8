// A loop inside an atomic sequence visits no stored state, and still comes to an end.
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

byte x;
active proctype p() { atomic { do :: x = 1 - x :: break od } }
