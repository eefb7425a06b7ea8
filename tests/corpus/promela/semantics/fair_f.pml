// With weak fairness every process that can always move does move.
// expect: p holds
// flags: --fair

byte x; active proctype A(){ do :: x=1; x=0 od } byte y; active proctype B(){ do :: y=1-y od } ltl p { []<>(x==1) }
