// expect: assertions violated
// expect: comes violated
// expect: can violated
//
// Whether a d_step ends depends on what happened before.
byte x, done;
active proctype A() { d_step { do :: x == 1 -> skip :: else -> break od }; done = 1 }
active proctype B() { x = 1; x = 0 }
ltl comes { <> (done == 1) }
ltl can { [] (done == 0) }
