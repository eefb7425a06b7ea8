// expect: assertions violated
// expect: round holds
// expect: stuck violated
//
// The same in a d_step.
short n;
active proctype A() { d_step { do :: n < 1500 -> n++ :: else -> n = 0 od } }
ltl round { [] <> (n == 0) }
ltl stuck { <> [] (n > 0) }
