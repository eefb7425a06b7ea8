// Channel ids as values, passed in messages.
// states: plain 7 default 7
// expect: assertions holds
// expect: end states holds

chan a=[1] of {chan}; chan b=[1] of {byte}; byte x; init { chan c; a!b; a?c; c!7; b?x; assert(x==7 && c==b) }
