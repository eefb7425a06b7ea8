// Process end is its own transition: init, after x=1, after death.
// states: plain 3 default 3
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ x=1 }
