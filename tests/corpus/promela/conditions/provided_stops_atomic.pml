// The second assignment never happens.
// expect: end states violated
// expect: p violated

byte x, y;
active proctype A() provided (x != 1) { atomic { x = 1; y = 1 } }
ltl p { <> (y == 1) }
