// 6.2+ priorities: only highest-priority enabled process runs.
// states: plain 3 default 3
// expect: end states violated

byte x; active proctype L() priority 1 { x==0; assert(false) } active proctype H() priority 5 { x=1 }
