// expect: assertions holds
// expect: not_once holds
// expect: again holds
// expect: sometime violated
//
// A d_step that ends is one step, also inside an atomic loop that does not: nobody sees into it.
byte x, y;
active proctype A() { atomic { do :: d_step { x = 1; x = 0; y = 1 - y } od } }
ltl not_once { [] (x == 0) }
ltl again { [] <> (y == 1) }
ltl sometime { <> (x == 1) }
