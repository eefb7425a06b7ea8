// A statement of an atomic sequence enables a process of higher priority, which goes first.
// expect: assertions violated

byte x;
active proctype A() priority 1 { byte l; atomic { l = 1; x = 1; x = 0 } }
active proctype B() priority 5 { x == 1; assert(false) }
