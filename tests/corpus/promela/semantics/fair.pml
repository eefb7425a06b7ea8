// Weak fairness: A can be starved without -f.
// expect: p violated

byte x; active proctype A(){ do :: x=1; x=0 od } byte y; active proctype B(){ do :: y=1-y od } ltl p { []<>(x==1) }
