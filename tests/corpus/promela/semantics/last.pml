// _last in a claim enlarges the state.
// expect: never_0 violated

byte x; byte y; active proctype A(){ do :: x=1-x od } active proctype B(){ do :: y=1-y od } never { accept: do :: _last==0 :: _last==1 od }
