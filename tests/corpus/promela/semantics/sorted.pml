// Sorted send on all fields, fifo mix.
// states: plain 14 default 14
// expect: assertions holds
// expect: end states holds

chan q=[4] of {byte,byte}; byte a,b; init { q!!3,1; q!!1,2; q!!1,1; q!0,0; q?a,b; assert(a==1&&b==1); q?a,b; assert(a==1&&b==2); q?a,b; assert(a==3); q?a,b; assert(a==0) }
