// Rendezvous receive as d_step guard.
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

chan q=[0] of {byte}; byte x; active proctype A(){ q!3 } active proctype B(){ d_step { q?x; x++ }; assert(x==4) }
