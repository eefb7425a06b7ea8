// A claim can ask whether a process is able to move.
// expect: assertions holds
// expect: end states holds
// expect: never_0 holds

byte x; active proctype A(){ do :: x==0 -> x=1 od } active proctype B(){ do :: x==1 -> x=0 od } never { do :: enabled(0) && enabled(1) -> break :: else od }
