// The `else` beside a receive is taken where the message has not come yet.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { if :: q?x -> x = 9 :: else -> assert(false) fi }
active proctype B() { q!1 }
