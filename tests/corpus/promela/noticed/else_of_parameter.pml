// The channel is a parameter.
// expect: assertions violated

chan q = [1] of {byte};
proctype A(chan c) { byte x; if :: c?x -> x = 9 :: else -> assert(false) fi }
proctype B(chan c) { c!1 }
init { atomic { run A(q); run B(q) } }
