// Mtype subtypes, each numbered from 1.
// states: plain 3 default 3
// expect: assertions holds
// expect: end states holds

mtype:f={a,b}; mtype:g={c,d}; mtype:f v=a; init { assert(v==2 && b==1 && c==2 && d==1) }
