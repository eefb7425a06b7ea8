byte x, a[2]; chan q = [1] of { byte };
proctype Elsewhere() { there: skip }
init {
	break; // error: [break.outside]
	goto there; // error: [label.undefined]
	goto x; // error: [label.name] error: [label.undefined]
twice: skip;
twice: skip; // error: [label.duplicate]
round: goto round; // error: [goto.cycle]
	if :: else :: else fi; // error: [else.twice]
	if :: q?x :: else fi; // warning: [else.dubious]
	if :: guard: x = 1 :: skip fi; // warning: [label.misplaced]
	{ first: x = 1 }; // error: [label.misplaced]
	for (x : 3 .. 1) { skip }; // error: [for.range]
	for (a[0] : 1 .. 3) { skip }; // error: [for.variable]
	for (x in x) { skip }; // error: [for.container]
	select (x : 2 .. 1); // error: [for.range]
	if :: { byte only } :: skip fi
}
