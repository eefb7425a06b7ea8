// Rendezvous = one transition, both pcs move.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

chan q=[0] of {byte}; byte x; active proctype A(){ q!1; q!2 } active proctype B(){ byte y; q?y; q?y; x=y }
