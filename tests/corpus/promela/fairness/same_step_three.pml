// Three that make the same step, and one that could move once.
// flags: --fair
// expect: p violated
// expect: q holds

byte x, y;
active [3] proctype P() { do :: x = 1 - x od }
active proctype Q() { y = 1 }
ltl p { <> (y == 2) }
ltl q { <> (y == 1) }
