// The `else` beside a d_step that begins with a receive.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { if :: d_step { q?x; x = 9 } :: else -> assert(false) fi }
active proctype B() { q!1 }
