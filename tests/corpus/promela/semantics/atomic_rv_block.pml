// Atomic containing blocked rv then resumed.
// states: plain 11 default 9
// expect: assertions holds
// expect: end states holds

chan q=[0] of {byte}; byte x; active proctype A(){ atomic { x=1; q!3; x=2 } } active proctype B(){ byte y; x=5; q?y }
