// expect: round holds
// expect: stuck violated
//
// A cycle of more than a thousand internal states.
short n;
active proctype A() { atomic { do :: n < 1500 -> n++ :: else -> n = 0 od } }
ltl round { [] <> (n == 0) }
ltl stuck { <> [] (n > 0) }
