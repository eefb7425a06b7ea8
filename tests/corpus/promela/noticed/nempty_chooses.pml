// The value of `nempty` chooses.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { y = (nempty(q) -> 1 : 0); assert(y); q?x }
active proctype B() { q!1 }
