// A process may move only as long as nothing has come.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() provided (!nempty(q)) { assert(false) }
active proctype B() { q!1 }
