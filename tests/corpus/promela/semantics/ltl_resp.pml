// [](p-><>q) holds.
// expect: p holds

byte x; active proctype A(){ do :: x<3 -> x++ :: x==3 -> x=0 od } ltl p { [](x==1 -> <>(x==3)) }
