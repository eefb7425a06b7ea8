// Where asked for, a message left in a channel makes an end state invalid.
// states: plain 3 default 3
// expect: end states violated
// flags: --strict-ends

chan q=[1] of {bit}; active proctype A(){ q!1 }
