// Trace violated.
// states: plain 5 default 5
// expect: assertions violated

mtype={a,b}; chan q=[1] of {mtype}; active proctype S(){ do :: q!a; q!a od } active proctype R(){ do :: q?_ od } trace { do :: q!a; q!b od }
