// Finite run satisfies []<>(x==1).
// expect: p holds

byte x; active proctype A(){ x=1 } ltl p { <>[](x==1) }
