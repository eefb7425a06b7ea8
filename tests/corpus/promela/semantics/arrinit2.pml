// Scalar initialiser fills the array.
// states: plain 3 default 3
// expect: assertions holds
// expect: end states holds

byte a[3]=7; init { assert(a[0]==7 && a[2]==7) }
