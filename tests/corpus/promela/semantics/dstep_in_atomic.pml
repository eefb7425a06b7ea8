// D_step inside atomic.
// states: plain 3 default 3
// expect: assertions holds
// expect: end states holds

byte x; init { atomic { x=1; d_step { x=2; x=3 }; x=4 } }
