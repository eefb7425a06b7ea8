// Random receive takes first match.
// states: plain 10 default 10
// expect: assertions holds
// expect: end states holds

chan q=[3] of {byte,byte}; byte a; init { q!1,10; q!2,20; q!2,30; q??2,a; assert(a==20); assert(len(q)==2); q??eval(a-18),a; assert(a==30) }
