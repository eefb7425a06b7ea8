byte x;
inline cycle(v) { cycle2(v) }
inline cycle2(v) { cycle(v) } // error: [inline.cycle]
inline two(a, b) { skip }
inline gives(a) { return a } // error: [inline.return]
inline two(a) { skip } // error: [name.redeclared]
inline same(a, a) { skip } // warning: [inline.parameter]
inline expression() { skip }
init {
	cycle(x);
	two(1, 2); // error: [inline.arguments]
	gives(1);
	missing(1); // error: [name.inline.unknown]
	x = 1 + expression(); // error: [inline.expression]
	return 1; // error: [inline.return]
	two(1 // error: [inline.arguments]
}
