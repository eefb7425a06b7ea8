// expect: assertions violated
// expect: one holds
// expect: comes violated
// expect: starts holds
//
// An endless d_step inside an atomic sequence.
byte x, y;
active proctype A() { atomic { y = 1; d_step { x = 2; do :: x = 3 - x od }; y = 2 } }
ltl one { [] <> (x == 1) }
ltl comes { <> (y == 2) }
ltl starts { <> (y == 1) }
