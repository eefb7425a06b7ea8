// expect: end states holds
// expect: sometime violated
// expect: not_once violated
//
// A loop of jumps with a way out.
byte x;
active proctype A() { atomic { skip; again: if :: true -> goto again :: true -> x = 1 fi } }
ltl sometime { <> (x == 1) }
ltl not_once { [] (x == 0) }
