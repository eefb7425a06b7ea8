// The same with `nempty`.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { { assert(false) } unless { nempty(q) } }
active proctype B() { q!1 }
