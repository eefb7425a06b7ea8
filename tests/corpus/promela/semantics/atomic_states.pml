// Atomic: intermediate states are not stored.
// states: plain 3 default 3
// expect: assertions holds
// expect: end states holds

byte x; init { atomic { x=1; x=2; x=3 } }
