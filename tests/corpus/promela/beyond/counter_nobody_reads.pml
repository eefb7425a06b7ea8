// A counter that nobody reads does not make a cycle longer, and the counterexample still closes.
// flags: --progress
// expect: non-progress cycles violated

byte steps;
active proctype p() { do :: steps++ od }
