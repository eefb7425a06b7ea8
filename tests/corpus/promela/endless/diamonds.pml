// expect: assertions holds
// expect: end states holds
// expect: comes holds
//
// Many ways to the same internal states, and no cycle.
byte a, b, c, done;
active proctype A() { atomic {
  do :: a < 6 -> a++ :: b < 6 -> b++ :: c < 6 -> c++ :: a == 6 && b == 6 && c == 6 -> break od; done = 1 } }
ltl comes { <> (done == 1) }
