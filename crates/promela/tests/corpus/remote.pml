init { P@here; P[1]@here }
active proctype P() { byte x, a[2]; here: x = 1; P@here && P:x }
active proctype Q() { P[2 - 1]:x == 1; P:a[1] == 2 }
