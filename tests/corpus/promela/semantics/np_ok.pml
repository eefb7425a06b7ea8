// Progress on every cycle.
// expect: non-progress cycles holds
// flags: --progress

byte x; active proctype A(){ do :: x==0 -> x=1 :: x==1 -> progress: x=0 od }
