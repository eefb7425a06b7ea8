int x;
init {
	printf("%d %d", x); // warning: [printf.arguments]
	x = 99999999999; // warning: [scan.number.range]
	x = y // error: [name.undeclared]
}
