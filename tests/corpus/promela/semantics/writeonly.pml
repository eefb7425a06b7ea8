// Write-only globals are hidden unless -o2.
// states: plain 4 default 1
// expect: assertions holds
// expect: end states holds

byte x; active proctype A(){ do :: x=1 :: x=2 :: x=3 od }
