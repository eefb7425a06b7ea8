// expect: sometime violated
// expect: one holds
//
// A loop made of jumps.
byte x, y;
active proctype A() { atomic { skip; again: x = 1 - x; goto again } }
ltl sometime { <> (y == 1) }
ltl one { [] <> (x == 1) }
