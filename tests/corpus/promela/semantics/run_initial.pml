// A `run` is merged with its neighbours if the new process does not look at shared variables when it starts.
// SPIN decides this by the last initial value: a constant or a local variable will do, anything else will not.
// expect: assertions holds
// expect: end states holds
// states: plain 901 default 692

byte g;

proctype Plain(byte n) { byte b = n; g = b }
proctype Constant(byte n) { byte b = 3; g = b + n }
proctype Sum(byte n) { byte b = n + 1; g = b }
proctype Own(byte n) { byte b = _pid; g = b + n }

init {
	byte j;
	j = 1;
	j = run Plain(1);
	j = 2;
	j = run Constant(1);
	j = 3;
	j = run Sum(1);
	j = 4;
	j = run Own(1);
	j = 5;
	g = j;
	assert(g < 9)
}
