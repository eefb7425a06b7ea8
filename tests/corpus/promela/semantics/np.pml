// Non-progress cycle.
// expect: non-progress cycles violated
// flags: --progress

byte x; active proctype A(){ do :: x==0 -> x=1 :: x==1 -> progress: x=0 :: x==1 -> x=1 od }
