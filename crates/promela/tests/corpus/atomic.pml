byte x;
init {
	atomic { x = 1; do :: x < 3 -> x++ :: else -> break od };
	d_step { x = 1; if :: x == 1 -> x = 2; goto in :: else fi; in: x = 3 };
	L: atomic { x = 2; goto L } unless { x == 7 -> x = 0 };
	x = 1 unless x == 2;
	{ { x = 1; x = 2 } unless { x == 3 -> skip } } unless { skip }
}
