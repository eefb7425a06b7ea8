// expect: comes violated
// expect: can violated
// expect: again violated
//
// Many ways to the same internal states, and one cycle among them.
byte a, b, c, done;
active proctype A() { atomic {
  do :: a < 6 -> a++ :: b < 6 -> b++ :: c < 6 -> c++ :: a == 3 && b == 2 && c == 5 -> a = 2 :: a == 6 && b == 6 && c == 6 -> break od; done = 1 } }
ltl comes { <> (done == 1) }
ltl can { [] (done == 0) }
ltl again { <> [] (a < 4) }
