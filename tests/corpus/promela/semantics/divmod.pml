// C semantics for / and % on negatives.
// states: plain 6 default 3
// expect: assertions holds
// expect: end states holds

init { assert(-7/2==-3); assert(-7%2==-1); assert((1<<3)==8); assert((-8>>1)==-4) }
