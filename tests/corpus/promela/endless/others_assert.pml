// expect: assertions violated
// expect: end states holds
//
// A process that runs for ever must not keep a failing assertion from being found.
active proctype A() { byte t; atomic { do :: t = 1 - t od } }
active proctype B() { byte u; u = 1; assert(u == 0) }
