// expect: assertions holds
// expect: comes violated
// expect: can violated
//
// Whoever waits inside atomic for a lock waits for ever, and keeps the others from freeing it.
byte lock = 1, done;
active proctype A() { atomic { do :: lock -> skip :: else -> break od; done = 1 } }
active proctype B() { lock = 0 }
ltl comes { <> (done == 1) }
ltl can { [] (done == 0) }
