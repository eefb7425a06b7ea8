// expect: not_once violated
// expect: again holds
// expect: settles violated
//
// Two statements that are merged into one step: the state between them is visited.
byte x;
active proctype A() { atomic { do :: x = 1; x = 0 od } }
ltl not_once { [] (x == 0) }
ltl again { [] <> (x == 1) }
ltl settles { <> [] (x == 0) }
