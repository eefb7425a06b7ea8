// expect: assertions holds
// expect: end states holds
// expect: comes holds
//
// A d_step of many statements that does come to its end.
int n, m;
active proctype A() { d_step { do :: n < 300000 -> n++ :: else -> break od; m = 1 } }
ltl comes { <> (m == 1) }
