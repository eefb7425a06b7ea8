// A process that has ended is not treated unfairly by never moving again: the run in which `q` writes last
// is fair, and refutes the formula.
// flags: --fair
// expect: settles violated

byte n;
active proctype p() { n = 1 }
active proctype q() { n = 2 }
ltl settles { <>[] (n == 1) }
