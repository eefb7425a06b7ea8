// flags: --progress
// expect: non-progress cycles holds
//
// An endless atomic sequence that passes a progress label again and again.
byte x;
active proctype A() { atomic { do :: x = 1; progress: x = 0 od } }
