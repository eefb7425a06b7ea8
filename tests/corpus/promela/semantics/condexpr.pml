// Conditional expression.
// states: plain 4 default 4
// expect: assertions holds
// expect: end states holds

byte a; init { a=(a==0 -> 5 : 6); assert(a==5) }
