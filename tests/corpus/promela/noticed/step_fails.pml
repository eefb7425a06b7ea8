// A d_step that blocks in the middle is an error.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { d_step { y = 1; q?x } }
active proctype B() { q!1 }
