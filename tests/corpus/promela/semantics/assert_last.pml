// Assert in last statement of atomic.
// states: plain 3 default 3
// expect: assertions violated

byte x; init { atomic { x=1; assert(x==2) } }
