// The same step by either of two processes, behind assignments of the value that is there already.
// flags: --fair
// expect: p violated

byte x;
active proctype P() { byte l; do :: l = 1 od }
active proctype Q() { byte l; do :: l = 1 od }
ltl p { <> (x == 1) }
