// Else with channel receive.
// states: plain 15 default 15
// expect: assertions holds
// expect: end states holds

chan q=[1] of {byte}; byte x; active proctype A(){ if :: q?x -> x=9 :: else -> x=5 fi } active proctype B(){ q!1 }
