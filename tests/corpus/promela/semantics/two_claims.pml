// Of two formulas, the one with the given name is checked.
// expect: b holds
// flags: --prop b

byte x; active proctype A(){ do :: x<3 -> x++ :: else -> x=0 od } ltl a { [](x<3) } ltl b { [](x<=3) }
