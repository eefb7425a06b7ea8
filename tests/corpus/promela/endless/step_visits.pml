// expect: assertions violated
// expect: not_once violated
// expect: again holds
// expect: settles violated
//
// An endless d_step visits what its statements visit.
byte x;
active proctype A() { d_step { do :: x = 1; x = 0 od } }
ltl not_once { [] (x == 0) }
ltl again { [] <> (x == 1) }
ltl settles { <> [] (x == 0) }
