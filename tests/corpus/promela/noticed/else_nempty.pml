// The same beside `nempty`.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { if :: nempty(q) -> q?x :: else -> assert(false) fi }
active proctype B() { q!1 }
