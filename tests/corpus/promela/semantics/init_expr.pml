// Local initialised from a global at process creation.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

byte g=5; proctype P(){ byte l=g; assert(l==6) } init { g=6; run P() }
