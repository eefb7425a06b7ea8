// An atomic sequence that has to wait for a message lets others in.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
byte v;
active proctype A() { atomic { v = 1; q?x; v = 0 } }
active proctype B() { q!1 }
active proctype C() { assert(v == 0) }
