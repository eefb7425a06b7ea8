byte x, y;
ltl { [] (x == 1 -> <> y) }
ltl named { always (eventually (P@here || P[0]:k == 2)) && !P[1]@here }
ltl words { (x until y) || x weakuntil y && next x release y implies x equivalent y }
ltl signs { x U y W x V y -> X x <-> !x /\ y \/ !!x }
#define p (x == m1)
ltl macro { [] p }
mtype = { m1 };
active proctype P() { byte k; here: x = 1 }
