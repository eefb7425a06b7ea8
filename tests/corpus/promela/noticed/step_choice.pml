// A d_step takes its first executable option.
// expect: assertions violated

chan q = [1] of {byte}; byte x, y;
active proctype A() { d_step { if :: q?x -> y = 1 :: true -> y = 2 fi }; assert(y != 2) }
active proctype B() { q!1 }
