// A claim belongs to no process: it can ask about process 0 as about any other.
// expect: never_0 violated

byte x;
active proctype a() { do :: x == 0 -> x = 1 od }
active proctype b() { do :: x == 1 -> x = 0 od }
never { do :: enabled(0) -> break :: else od }
