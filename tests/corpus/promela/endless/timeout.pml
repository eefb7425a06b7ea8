// expect: sometime holds
// expect: two holds
// expect: settles violated
//
// The sequence begins when nothing else can move.
byte x, y;
active proctype A() { atomic { timeout -> y = 1; do :: y = 3 - y od } }
active proctype B() { x = 1 }
ltl sometime { <> (x == 1) }
ltl two { [] (x == 1 -> <> (y == 2)) }
ltl settles { <> [] (y == 1) }
