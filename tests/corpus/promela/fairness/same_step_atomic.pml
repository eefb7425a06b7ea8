// The same step by an atomic sequence.
// flags: --fair
// expect: p violated

byte x;
active [2] proctype P() { byte l; do :: atomic { l = 1; l = 0 } od }
ltl p { <> (x == 1) }
