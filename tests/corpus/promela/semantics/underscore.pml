// _ is write-only.
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

chan q=[1] of {byte}; init { q!7; q?_; assert(len(q)==0) }
