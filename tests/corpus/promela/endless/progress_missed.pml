// flags: --progress
// expect: non-progress cycles violated
//
// One way round passes the label, the other does not.
byte x;
active proctype A() { atomic { do :: x = 1; progress: x = 0 :: x = 0 od } }
