// expect: leaves violated
// expect: can violated
//
// The way out of the loop is an escape that nobody opens.
byte x, y;
active proctype A() { atomic { { do :: x = 1 - x od } unless { y == 1 -> x = 7 } } }
active proctype B() { y = 1 }
ltl leaves { <> (x == 7) }
ltl can { [] (x != 7) }
