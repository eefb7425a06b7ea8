// Channels are not numbers.
chan q = [1] of { byte };
chan single = [1] of { byte };
byte x; bool b;
init {
	q = 1; // error: [type.channel.constant]
	q++; // error: [type.channel.arithmetic]
	x = q + 1; // error: [type.channel.arithmetic]
	b!1; // error: [type.channel]
	x!1; // warning: [type.channel]
	q!1, 2; // warning: [type.message.fields] error: [send.arguments]
	q?x, x; // warning: [type.message.fields] error: [receive.twice]
	q?_pid; // error: [assign.predefined]
	!full(q); // warning: [probe.operand]
	x = full(q) + 1; // warning: [probe.operand]
	undeclared!1 // error: [name.undeclared]
}
