// A handshake that nobody accepts is a deadlock in every order of search.
// flags: --algorithm bfs
// expect: assertions holds
// expect: end states violated

chan c = [0] of { byte };
byte x;
active proctype sender() { if :: c!1 :: x = 1; c!2 fi }
active proctype receiver() { byte v; c?v; (v == 2) }
