// The negation of `nempty` is about the channel being empty.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { if :: !nempty(q) -> assert(false) :: q?x fi }
active proctype B() { q!1 }
