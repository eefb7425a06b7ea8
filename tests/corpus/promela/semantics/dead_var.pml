// Dead-variable elimination resets x (see -o2).
// states: plain 12 default 12
// expect: assertions holds
// expect: end states holds

byte g; init { byte x; if :: x=1 :: x=2 fi; g=x; g=0; g=1; g=2 }
