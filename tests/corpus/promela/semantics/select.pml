// Select(i:1..4) as increment loop.
// states: plain 13 default 13
// expect: assertions holds
// expect: end states holds

byte i,g; init { select(i:1..4); g=i }
