// The `else` beside a send is taken where the channel is full.
// expect: assertions violated

chan q = [1] of {byte};
active proctype A() { q!1; if :: q!2 -> skip :: else -> assert(false) fi }
active proctype B() { byte z; q?z }
