// The atomic sequence loses control where its process may not move; the other one goes on and gives it back.
// expect: assertions violated

byte x, y;
active proctype A() provided (x != 1) { atomic { x = 1; y = 1; x = 0; y = 0 } }
active proctype B() { x == 1 -> assert(y == 1); x = 0 }
