// The body goes on where the channel is full.
// expect: assertions violated

chan q = [1] of {byte};
active proctype A() { q!1; { assert(false) } unless { q!2 } }
active proctype B() { byte z; q?z; q?z }
