init {
	skip;
	chan q = [1] of { byte }; // error: [declaration.channel.late]
	byte a[2] = { 1, 2 }; // error: [declaration.list.late]
	byte b[2] = 3 // warning: [declaration.array.late]
}
