// expect: assertions violated
// expect: sometime violated
// expect: two holds
//
// A message is taken by a d_step that never ends.
chan r = [0] of { byte };
byte x, y;
active proctype A() { r!1; x = 1 }
active proctype B() { d_step { r?y; do :: y = 3 - y od } }
ltl sometime { <> (x == 1) }
ltl two { <> (y == 2) }
