// expect: assertions holds
// expect: small violated
// expect: large holds
// expect: round holds
//
// A byte that is counted up comes round.
byte n;
active proctype A() { atomic { do :: n++ od } }
ltl small { [] (n < 200) }
ltl large { <> (n == 255) }
ltl round { [] <> (n == 0) }
