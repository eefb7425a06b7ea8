// flags: --fair
// expect: sometime violated
//
// B moves in every atomic sequence of A, as the receiver of a message: it need not move alone.
chan r = [0] of { byte };
byte x, z;
active proctype A() { do :: atomic { x = 1 - x; r!1 } od }
active proctype B() { do :: r?_ :: true -> z = 1 od }
ltl sometime { <> (z == 1) }
