// ?<> copies without removing.
// states: plain 9 default 9
// expect: assertions holds
// expect: end states holds

chan q=[2] of {byte}; byte a; init { q!5; q?<a>; assert(a==5 && len(q)==1); q??<a>; assert(len(q)==1); assert(q?[5] && !q?[4]); assert(q??[5]) }
