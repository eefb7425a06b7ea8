// flags: --fair
// expect: comes violated
//
// Fairness does not help: B cannot move while A waits inside atomic.
byte lock = 1, done;
active proctype A() { atomic { do :: lock -> skip :: else -> break od; done = 1 } }
active proctype B() { lock = 0 }
ltl comes { <> (done == 1) }
