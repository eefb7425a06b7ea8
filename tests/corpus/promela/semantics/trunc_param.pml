// Formal parameter truncated.
// states: plain 5 default 5
// expect: assertions holds
// expect: end states holds

proctype c(byte v){ assert(v==44) } init { run c(300) }
