// Selections, loops, labels, jumps, else, timeout.
byte x, a[3];
init {
	if :: x == 0 -> x = 1 :: x == 1; skip :: else fi;
	do :: x < 3 -> x++ :: else -> break od;
	do :: timeout -> break :: x = 2; goto done od;
	for (x : 0 .. 2) { a[x] = x; if :: x == 1 -> break :: else fi };
	for (x in a) { skip }
	select (x : 1 .. 4);
	select (x : 0 .. x + 1);
again: more: if :: x > 0 -> x--; goto again :: else -> goto more2 fi;
more2: { skip; inner: skip; goto inner };
	{ skip; inner: skip }
done:
}
