// Unless on rendezvous guard.
// states: plain 15 default 15
// expect: assertions holds
// expect: end states holds

chan q=[0] of {bit}; byte x; active proctype A(){ { do :: x<2 -> x++ :: x==2 -> x=0 od } unless { q?1 } } active proctype B(){ q!1 }
