typedef T { byte f };
proctype P() { byte x, a[2]; T t; here: x = 1 }
init {
	P@there; // error: [label.undefined]
	P[0]:y == 1; // error: [name.undeclared]
	P:t == 1; // error: [remote.structure]
	P:a == 1; // error: [type.index.missing]
	P:x[1] == 1; // error: [type.index.scalar]
	Q@here; // error: [name.process.unknown]
	Later == 1 // error: [name.process]
}
proctype Later() { skip }
