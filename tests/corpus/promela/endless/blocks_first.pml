// expect: end states violated
// expect: comes violated
// expect: set holds
//
// A sequence that blocks lets the others move; then it runs for ever.
byte x, done;
active proctype A() { atomic { x == 1 -> do :: x == 1 -> skip :: else -> break od; done = 1 } }
active proctype B() { x = 1; x = 0 }
ltl comes { <> (done == 1) }
ltl set { <> (x == 1) }
