// expect: assertions holds
// expect: end states violated
//
// Others may be stuck for ever before the endless sequence begins, or after it was left.
active proctype A() { byte t; atomic { do :: t = 1 - t :: break od } }
active proctype B() { false }
