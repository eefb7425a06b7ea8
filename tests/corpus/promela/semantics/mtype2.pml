// 2nd mtype list prepended.
// states: plain 4 default 3
// expect: assertions holds
// expect: end states holds

mtype={a,b}; mtype={c,d}; init { printf("%d %d %d %d\n",a,b,c,d); assert(a==2 && b==1 && c==4 && d==3) }
