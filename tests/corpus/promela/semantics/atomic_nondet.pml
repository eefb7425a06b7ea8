// Nondeterminism inside atomic: intermediate states not stored when single successor.
// states: plain 9 default 3
// expect: assertions holds
// expect: end states holds

byte x,y; active proctype A(){ atomic { if :: x=1 :: x=2 fi; if :: y=1 :: y=2 fi } }
