// Mtype numbered in reverse, from 1.
// states: plain 4 default 3
// expect: assertions holds
// expect: end states holds

mtype={a,b,c}; init { assert(a==3 && b==2 && c==1); printf("%e",a) }
