// Nobody makes progress, and the two that move are told apart by nothing but who they are.
// flags: --fair --progress
// expect: non-progress cycles violated

byte x;
active proctype P() { byte l; do :: l = 1 od }
active proctype Q() { byte l; do :: l = 1 od }
