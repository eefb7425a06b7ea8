// flags: --progress
// expect: non-progress cycles violated
//
// No progress in an endless atomic sequence.
byte x;
active proctype A() { atomic { do :: skip od } }
active proctype B() { do :: x = 1; progress: x = 0 od }
