// The second of three merged statements divides by zero: the run ends there, and its trace replays.
// expect: assertions violated

active proctype p() { int a; int b; a = 0; b = 1 / a; a = 2 }
