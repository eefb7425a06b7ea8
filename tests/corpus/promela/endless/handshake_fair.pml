// flags: --fair
// expect: sometime violated
//
// The sender gave control away for ever, and may wait for ever.
chan r = [0] of { byte };
byte x;
active proctype A() { atomic { r!1; x = 1 } }
active proctype B() { byte k; atomic { r?k; do :: k = 1 - k od } }
ltl sometime { <> (x == 1) }
