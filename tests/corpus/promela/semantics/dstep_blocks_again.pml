// A d_step that comes back to its first statement must not block there: only the first time may it wait.
// expect: assertions violated
byte x;
active proctype A() { byte t; atomic { t = 1; d_step { do :: x < 3 -> x++ od } } }
