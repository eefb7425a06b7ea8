int x, y; byte a[3];
init {
	x = 1 + 2 * 3 - 4 / 5 % 6; x = x & 1 | 2 ^ 3 << 1 >> 2;
	x = (x > y -> a[0] : -a[1]); x = !x + ~y; x++; a[x]--;
	x == 1 && y != 2 || x <= 3; x >= y; (x < y) == true;
	assert(x > 0); assert x == y; printf("%d %d%%\n", x, y); printf("plain");
	set_priority(_pid, 2); x = get_priority(_pid) + _nr_pr + _last + _priority;
	x = a[a[a[0]]]
}
