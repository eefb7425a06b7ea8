// The `else` of a loop with several receives.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
chan r = [1] of {byte};
active proctype A() { do :: q?x -> break :: r?x -> break :: else -> y = 1; break od; assert(y == 0) }
active proctype B() { q!1 }
