// As atomic_nondet but the variables are read.
// states: plain 13 default 13
// expect: assertions holds
// expect: end states holds

byte x,y; active proctype A(){ atomic { if :: x=1 :: x=2 fi; if :: y=1 :: y=2 fi }; assert(x+y>1) }
