// Inline with return value (6.4+).
// states: plain 4 default 4
// expect: assertions holds
// expect: end states holds

byte a; inline inc(x){ return x+1 } init { a=inc(4); assert(a==5) }
