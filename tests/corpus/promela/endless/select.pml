// expect: assertions holds
// expect: end states holds
// expect: comes violated
//
// A choice of a number that can be put off for ever.
byte n, done;
active proctype A() { atomic { do :: n < 3 -> n++ :: n > 0 -> n-- :: break od; done = 1 } }
active proctype B() { done == 1 -> assert(n <= 3) }
ltl comes { <> (done == 1) }
