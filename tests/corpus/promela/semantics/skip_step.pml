// Skip is a step.
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

byte x; init { skip; skip; x=1 }
