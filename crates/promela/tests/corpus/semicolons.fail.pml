byte x;
init {
	x = x
	+ 1; // error: [parse.unexpected]
	x
	= 1; // error: [parse.unexpected]
	; x = 2
}
proctype P() { ; skip } // error: [parse.sequence.empty]
