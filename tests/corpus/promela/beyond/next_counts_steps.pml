// A formula with `X` can count steps, so no reduction may merge any.
// expect: one_step violated
// expect: two_steps holds

byte x;
active proctype p() { byte own; own = 1; own = 2; x = own }
ltl one_step { X (x == 2) }
ltl two_steps { X X X (x == 2) }
