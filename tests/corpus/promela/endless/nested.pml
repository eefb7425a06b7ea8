// expect: three holds
// expect: leaves violated
// expect: four violated
//
// Loops in loops in atomic, blocks in blocks.
byte i, x;
active proctype A() { atomic { do :: { atomic { for (i : 1 .. 3) { x = i } } } :: x == 9 -> break od } }
ltl three { [] <> (x == 3) }
ltl leaves { <> (x == 9) }
ltl four { <> (x == 4) }
