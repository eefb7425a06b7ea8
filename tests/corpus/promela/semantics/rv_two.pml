// Two receivers: two successors.
// states: plain 6 default 6
// expect: end states violated

chan q=[0] of {byte}; byte w; active proctype A(){ q!1 } active [2] proctype B(){ q?1; w=_pid }
