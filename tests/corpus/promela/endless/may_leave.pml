// expect: assertions holds
// expect: end states holds
// expect: comes violated
// expect: can violated
// expect: stays holds
//
// A choice that may always be made the same way.
byte done;
active proctype A() { atomic { do :: skip :: break od; done = 1 } }
ltl comes { <> (done == 1) }
ltl can { [] (done == 0) }
ltl stays { [] (done == 1 -> [] (done == 1)) }
