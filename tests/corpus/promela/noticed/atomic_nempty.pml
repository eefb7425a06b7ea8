// The same with a condition.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
byte v;
active proctype A() { atomic { v = 1; nempty(q); v = 0 }; q?x }
active proctype B() { q!1 }
active proctype C() { assert(v == 0) }
