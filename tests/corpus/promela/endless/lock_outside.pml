// flags: --fair
// expect: comes holds
//
// The same wait outside of atomic, for comparison.
byte lock = 1, done;
active proctype A() { do :: lock -> skip :: else -> break od; done = 1 }
active proctype B() { lock = 0 }
ltl comes { <> (done == 1) }
