// expect: sometime violated
// expect: filled holds
//
// A loop that sends to itself.
chan c = [2] of { byte };
byte x;
active proctype A() { atomic { do :: c!1; c?_ od } }
ltl sometime { <> (x == 1) }
ltl filled { [] <> (len(c) == 1) }
