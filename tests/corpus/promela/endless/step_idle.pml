// expect: assertions violated
// expect: end states holds
// expect: sometime violated
// expect: at_once violated
// expect: not_once holds
//
// A d_step that never ends is an error, and a run.
byte x;
active proctype A() { d_step { do :: true od } }
ltl sometime { <> (x == 1) }
ltl at_once { [] (x == 7) }
ltl not_once { [] (x == 0) }
