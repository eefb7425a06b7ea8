// Index out of bounds is an error.
// states: plain 4 default 4
// expect: assertions violated

byte a[3]; byte i; init { i=3; a[i]=1 }
