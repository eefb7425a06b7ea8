// Else with rendezvous receive.
// states: plain 8 default 8
// expect: end states violated

chan q=[0] of {byte}; byte x; active proctype A(){ if :: q?x -> x=9 :: else -> x=5 fi } active proctype B(){ q!1 }
