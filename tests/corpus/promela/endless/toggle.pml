// expect: one holds
// expect: zero holds
// expect: settles violated
// expect: next holds
//
// The endless loop visits what its statement visits.
byte x;
active proctype A() { atomic { do :: x = 1 - x od } }
ltl one { [] <> (x == 1) }
ltl zero { [] <> (x == 0) }
ltl settles { <> [] (x == 1) }
ltl next { [] (x == 0 -> X (x == 1)) }
