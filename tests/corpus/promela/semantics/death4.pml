// Pid reuse: child pid is 1 every time; at most 3 children.
// states: plain 24 default 24
// expect: assertions holds
// expect: end states holds

byte n; proctype ch(){ skip } active proctype par(){ do :: n<3 && _nr_pr==1 -> run ch(); n++ :: n==3 && _nr_pr==1 -> break od }
