// expect: assertions violated
// expect: end states holds
//
// An assertion inside the loop fails in one of its rounds.
byte n;
active proctype A() { atomic { do :: n++; assert(n != 50) od } }
