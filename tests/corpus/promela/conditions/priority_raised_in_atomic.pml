// Who is given a higher priority goes first, also where the giver is inside of an atomic sequence.
// expect: assertions violated

byte x;
active proctype A() priority 1 { byte l; atomic { set_priority(1, 5); x = 1; x = 0 } }
active proctype B() priority 1 { x == 1; assert(false) }
