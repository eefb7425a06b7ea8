// A handshake in an escape preempts the main sequence only where a partner is ready.
// expect: assertions holds
// expect: end states holds

chan stop = [0] of { bit };
byte n;
active proctype worker() { { do :: n < 3 -> n++ od } unless { stop?_ } }
active proctype boss() { stop!1 }
