// An atomic sequence that has to wait for room lets others in.
// expect: assertions violated

chan q = [1] of {byte}; byte v;
active proctype A() { q!1; atomic { v = 1; q!2; v = 0 } }
active proctype B() { byte z; q?z; q?z }
active proctype C() { assert(v == 0) }
