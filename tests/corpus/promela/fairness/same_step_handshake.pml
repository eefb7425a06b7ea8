// Two senders offer the same message to the same receiver.
// flags: --fair
// expect: p violated

chan c = [0] of { byte };
byte x;
active [2] proctype S() { do :: c!1 od }
active proctype R() { do :: c?_ od }
ltl p { <> (x == 1) }
