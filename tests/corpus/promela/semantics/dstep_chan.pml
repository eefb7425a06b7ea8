// D_step containing send/receive.
// states: plain 4 default 4
// expect: assertions holds
// expect: end states holds

chan q=[1] of {byte}; byte x; init { d_step { q!3; q?x; x++ }; assert(x==4) }
