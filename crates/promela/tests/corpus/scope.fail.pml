byte g;
proctype P(byte p) {
	byte g; // error: [name.redeclared]
	byte p; // error: [name.redeclared]
	byte l;
	{ byte l; l = 1 } // error: [name.redeclared]
	{ byte inner; inner = 1 }
	inner = 2; // error: [name.undeclared]
	after = 1; // error: [name.undeclared]
	if :: byte o; o = 1 :: byte o; o = 2 fi // error: [name.redeclared]
}
byte after;
init { skip }
