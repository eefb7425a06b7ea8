// An assertion in a never claim that fails is a violation of the claim.
// expect: never_0 violated

byte x; active proctype A(){ x=1; x=2 } never { do :: assert(x<2) od }
