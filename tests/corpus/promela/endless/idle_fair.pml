// flags: --fair
// expect: sometime violated
// expect: at_once violated
//
// Nobody else can move inside an atomic sequence, so the run that stays there is fair.
byte x;
active proctype A() { atomic { do :: true od } }
active proctype B() { x = 1 }
ltl sometime { <> (x == 1) }
ltl at_once { [] (x == 7) }
