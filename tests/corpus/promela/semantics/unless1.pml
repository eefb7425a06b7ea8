// Escape has priority over main.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ { do :: x=1 :: x=2 od } unless { x==2 -> x=7 } }
