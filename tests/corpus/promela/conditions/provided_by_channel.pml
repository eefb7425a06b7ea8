// The same with a channel that the process fills itself.
// expect: end states violated
// expect: p violated

chan q = [1] of { byte };
byte y;
active proctype A() provided (empty(q)) { atomic { q!1; y = 1 } }
ltl p { <> (y == 1) }
