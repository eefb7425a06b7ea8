// The value of `nfull` is kept.
// expect: assertions violated

chan q = [1] of {byte}; byte y;
active proctype A() { q!1; y = nfull(q); assert(y) }
active proctype B() { byte z; q?z }
