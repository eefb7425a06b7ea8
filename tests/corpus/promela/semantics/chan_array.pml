// Array of channels, one initialiser.
// states: plain 6 default 6
// expect: assertions holds
// expect: end states holds

chan q[2]=[1] of {byte}; byte x; init { q[0]!1; q[1]!2; q[1]?x; assert(x==2 && len(q[0])==1) }
