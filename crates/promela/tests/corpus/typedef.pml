// Structures, nested and in arrays, whole in messages and parameters.
typedef Point { short x = 1; short y };
typedef Line { Point from; Point to; byte tags[2] };
typedef Store { Line lines[3]; chan out = [1] of { Point } };
Store store;
Point points[2];
chan q = [2] of { Line, byte };
proctype Walker(Point p; byte k) { p.x = k }
init {
	Line l;
	store.lines[1].to.y = points[1].x;
	q!l, 3;
	q?l, _;
	q!l.from.x, l.from.y, 0, 0, 0, 0, 1;
	run Walker(points[0], 1);
	run Walker(1, 2, 3)
}
