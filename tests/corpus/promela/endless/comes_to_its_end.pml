// expect: assertions holds
// expect: end states holds
// expect: not_once holds
// expect: counts holds
//
// Nobody sees inside an atomic sequence that ends.
byte x, n;
active proctype A() { atomic { x = 1; do :: n < 100 -> n++ :: else -> break od; x = 0 } }
ltl not_once { [] (x == 0) }
ltl counts { <> (n == 100) }
