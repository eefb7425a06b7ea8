// Who lowers its priority inside of an atomic sequence lets the other one go first.
// expect: assertions violated

byte x;
active proctype A() priority 10 { byte l; atomic { _priority = 1; l = 1; x = 1 } }
active proctype B() priority 5 { assert(x == 1) }
