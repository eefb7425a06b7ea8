// expect: assertions holds
// expect: end states holds
// expect: sometime violated
// expect: not_once holds
// expect: at_once violated
//
// A loop inside atomic that does nothing is a run that stays where it is.
byte x;
active proctype A() { atomic { do :: true od } }
ltl sometime { <> (x == 1) }
ltl not_once { [] (x == 0) }
ltl at_once { [] (x == 7) }
