// expect: one holds
// expect: rests violated
//
// Local variables of a process inside its endless sequence can be seen.
active proctype A() { byte n; atomic { do :: n = 1; n = 2 od } }
ltl one { [] <> (A[0]:n == 1) }
ltl rests { <> [] (A[0]:n == 2) }
