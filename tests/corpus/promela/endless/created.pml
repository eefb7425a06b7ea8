// expect: sometime violated
//
// A process that is created inside the endless sequence never moves.
byte x, y;
proctype C() { x = 1 }
active proctype A() { atomic { run C(); do :: y = 1 - y od } }
ltl sometime { <> (x == 1) }
