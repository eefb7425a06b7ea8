// Pids in declaration order; init interleaved in order.
// states: plain 31 default 31
// expect: assertions holds
// expect: end states holds

active [2] proctype A(){ assert(_pid<2) } init { assert(_pid==2) } active proctype C(){ assert(_pid==3) }
