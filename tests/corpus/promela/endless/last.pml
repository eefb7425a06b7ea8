// expect: b violated
// expect: two holds
//
// The last mover is seen inside the endless sequence.
byte x;
active proctype A() { x = 1; atomic { do :: x = 3 - x od } }
active proctype B() { do :: skip od }
ltl b { [] <> (_last == 1) }
ltl two { [] (x == 2 -> <> (x == 1)) }
