// One of those that can make the step is disabled again and again: a fair run may leave it out.
// flags: --fair
// expect: p violated

byte x;
active proctype P() { do :: x = 1 - x od }
active proctype Q() { do :: x == 1 -> x = 1 - x od }
ltl p { <> (x == 2) }
