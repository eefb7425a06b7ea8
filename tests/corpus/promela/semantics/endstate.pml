// Invalid end state.
// states: plain 1 default 1
// expect: end states violated

chan q=[0] of {bit}; active proctype A(){ q!1 }
