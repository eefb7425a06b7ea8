// V is release; precedence of U vs ==.
// expect: p holds

byte x; active proctype A(){ do :: x<3 -> x++ :: else -> x=0 od } ltl p { [](x==0 U x==1 || x>=1) }
