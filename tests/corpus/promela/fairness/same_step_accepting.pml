// Two processes can make the same step, which leads back to where it began: a fair run takes turns.
// flags: --fair
// expect: accepting cycles violated

active proctype P() { accept: do :: skip od }
active proctype Q() { do :: skip od }
