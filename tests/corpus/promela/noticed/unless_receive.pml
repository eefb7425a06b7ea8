// The body of an `unless` goes on where the message has not come yet.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { { assert(false) } unless { q?x } }
active proctype B() { q!1 }
