// The value of `nempty` is kept.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { y = nempty(q); assert(y); q?x }
active proctype B() { q!1 }
