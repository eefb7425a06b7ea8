// Rendezvous send in atomic passes control to the receiver; both atomic.
// states: plain 3 default 3
// expect: end states violated

chan q=[0] of {bit}; byte x; active proctype X(){ atomic { x=1; q!0; assert(x==3); x=4 } } active proctype Y(){ atomic { q?0 -> x=2; x=3 } } active proctype Z(){ x==1 || x==2 -> assert(false) }
