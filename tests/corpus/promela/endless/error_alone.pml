// expect: assertions violated
// expect: not_once violated
//
// A process that fails must not hide what the others do.
byte z, x;
active proctype A() { byte t; t = 1 / t }
active proctype B() { x = 1; x = 2 }
ltl not_once { [] (x != 2) }
