// expect: not_once violated
// expect: settles holds
// expect: sometime violated
//
// What an atomic sequence that never ends visits on its way is seen, too.
byte x;
active proctype A() { atomic { x = 1; x = 0; do :: skip :: break od } }
ltl not_once { [] (x == 0) }
ltl settles { <> [] (x == 0) }
ltl sometime { <> (x == 1) }
