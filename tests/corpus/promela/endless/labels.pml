// expect: comes holds
// expect: rests violated
//
// Where a process is inside its endless sequence can be asked.
byte x;
active proctype A() { atomic { do :: x = 1; here: x = 0 od } }
ltl comes { [] <> (A@here) }
ltl rests { <> [] (A@here) }
