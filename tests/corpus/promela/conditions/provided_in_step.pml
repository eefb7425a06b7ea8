// A deterministic step is one statement: it is done as a whole.
// expect: assertions holds
// expect: end states holds
// expect: p holds

byte x, y;
active proctype A() provided (x != 1) { d_step { x = 1; y = 1; x = 0 } }
ltl p { <> (y == 1) }
