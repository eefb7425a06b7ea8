// End label makes it valid.
// states: plain 1 default 1
// expect: assertions holds
// expect: end states holds

chan q=[0] of {bit}; active proctype A(){ end: q!1 }
