// expect: never_0 violated
//
// A never claim sees the endless run.
byte x;
active proctype A() { atomic { do :: x = 0 :: x == 7 -> break od } }
never { accept: do :: x != 1 od }
