// A process that may move alone stays in an atomic sequence for ever, behind a first step.
// expect: assertions holds
// expect: arrives violated

bit x;
active proctype A() { byte t; do :: t < 3 -> t++ :: t == 3 -> break od; atomic { do :: t = 1 - t :: break od } }
active proctype B() { x = 1 }
ltl arrives { <> (x == 1) }
