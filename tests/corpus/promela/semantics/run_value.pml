// Run returns new pid; run in atomic.
// states: plain 7 default 7
// expect: assertions holds
// expect: end states holds

byte a,b; proctype c(byte v){ a=v } init { atomic { b = run c(7); assert(b==1) } ; (_nr_pr==1); assert(a==7) }
