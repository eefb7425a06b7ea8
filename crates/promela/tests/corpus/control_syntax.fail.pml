byte x;
init {
	if fi; // error: [parse.unexpected]
	do :: od; // error: [parse.sequence.empty]
	x = 1 x = 2; // error: [parse.separator]
	L: byte y; // error: [label.declaration]
	{ }; // error: [parse.sequence.empty]
	x = ; // error: [parse.unexpected]
	skip
}
