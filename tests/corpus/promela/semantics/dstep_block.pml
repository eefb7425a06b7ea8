// Blocking inside d_step is an error.
// states: plain 1 default 1
// expect: assertions violated

byte x; init { d_step { x=1; x==2; x=3 } }
