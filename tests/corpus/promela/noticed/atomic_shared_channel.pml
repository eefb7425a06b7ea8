// A sequence whose first channel nobody else sends to, but whose second somebody does: it is not independent.
// expect: assertions violated

chan q = [1] of {byte}; chan s = [2] of {byte}; byte v;
active proctype A() { atomic { q!1; s!1 } }
active proctype B() { byte y; q?y }
active proctype D() { v = 1; s!7 }
active proctype F() { end: v == 2 }
active proctype E() { byte z; s?z; assert(z == 1); s?z }
