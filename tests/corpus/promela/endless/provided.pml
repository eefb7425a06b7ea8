// expect: end states violated
// expect: sometime violated
// expect: stays violated
// expect: back violated
//
// Control is lost where the process is not provided: then the run ends.
byte p = 1, x;
active proctype A() provided (p == 1) { atomic { do :: p = 1 - p od } }
ltl sometime { <> (x == 1) }
ltl stays { [] (p == 1) }
ltl back { [] <> (p == 1) }
