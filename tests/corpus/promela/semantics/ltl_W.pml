// Weak until precedence.
// expect: p holds

byte x; active proctype A(){ x=1; x=2 } ltl p { (x<2) W (x==2) }
