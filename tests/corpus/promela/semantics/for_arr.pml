// For(i in a).
// states: plain 14 default 14
// expect: assertions holds
// expect: end states holds

byte a[3]; byte i,g; init { for(i in a){ g++ } assert(g==3) }
