// expect: assertions holds
// expect: end states holds
// expect: comes holds
//
// A sequence that blocks in the middle is not endless.
byte x, done;
active proctype A() { atomic { do :: x < 3 -> x++ :: x == 4 -> break od; done = 1 } }
active proctype B() { x == 3 -> x = 4 }
ltl comes { <> (done == 1) }
