// expect: both holds
// expect: one holds
// expect: seen violated
//
// Two processes, each with a sequence that need not end; only one can be inside.
byte x, y;
active proctype A() { do :: atomic { do :: x = 1; x = 0 :: break od } od }
active proctype B() { do :: atomic { do :: y = 1; y = 0 :: break od } od }
ltl both { ! ([] <> (x == 1) && [] <> (y == 1)) }
ltl one { [] ! (x == 1 && y == 1) }
ltl seen { [] (x == 0) }
