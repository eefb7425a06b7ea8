// expect: assertions holds
// expect: end states holds
//
// Nobody comes to an end state while the sequence runs.
active proctype A() { byte t; atomic { do :: t = 1 - t od } }
active proctype B() { false }
