// flags: --fair
// expect: sometime violated
// expect: frees violated
//
// Fairness does not end a d_step.
byte x, y;
active proctype A() { d_step { y = 1; do :: y == 1 -> skip :: else -> break od } }
active proctype B() { x = 1 }
ltl sometime { <> (x == 1) }
ltl frees { [] (y == 1 -> <> (y == 0)) }
