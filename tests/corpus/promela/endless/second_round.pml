// expect: sets holds
// expect: moves holds
// expect: not_once violated
//
// The sequence ends in its first round and runs for ever in the second.
byte x, y;
active proctype A() { do :: atomic { if :: x == 1 -> do :: y = 1 - y od :: else -> x = 1 fi } od }
ltl sets { <> (x == 1) }
ltl moves { [] <> (y == 1) }
ltl not_once { [] (y == 0) }
