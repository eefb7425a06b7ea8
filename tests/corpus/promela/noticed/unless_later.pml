// The escape is open for the second statement, too.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { { y = 1; assert(false) } unless { q?x } }
active proctype B() { q!1 }
