// expect: sometime violated
//
// Control goes with the message, and never comes back.
chan r = [0] of { byte };
byte x;
active proctype A() { atomic { r!1; x = 1 } }
active proctype B() { byte k; atomic { r?k; do :: k = 1 - k od } }
ltl sometime { <> (x == 1) }
