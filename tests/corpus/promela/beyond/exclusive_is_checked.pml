// Both processes receive from the channel that one claims for itself: the claim is not believed, and the
// assertion is found to fail.
// expect: assertions violated

chan q = [2] of { byte };
byte taken;
active proctype a() { byte v; xr q; q?v; taken++ }
active proctype b() { byte v; if :: q?v -> assert(taken == 0) :: taken == 1 fi }
init { q!1; q!2 }
