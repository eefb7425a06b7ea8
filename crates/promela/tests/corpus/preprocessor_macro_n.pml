#define N 3
byte i;
init { select (i : 1..N); for (i : 1..N) { skip } }
