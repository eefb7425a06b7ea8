int x;
init {
	x = 0x10; // error: [scan.number]
	x = 1 +; // error: [parse.unexpected]
	x = (1; // error: [parse.unexpected]
	x = x > 1 -> 2 : 3; // error: [parse.separator]
	printf(x); // error: [parse.unexpected]
	byte len; // error: [parse.keyword]
	x = if // error: [parse.unexpected]
}
