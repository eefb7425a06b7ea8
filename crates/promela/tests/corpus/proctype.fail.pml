// Processes: what the checks refuse.
byte later, taken;
proctype taken() { skip } // error: [name.redeclared]
proctype Array(byte a[2]) { skip } // error: [process.parameter.array]
proctype Limited(byte a) provided (a > 0) { skip } // error: [process.provided]
active [300] proctype Many() { skip } // error: [process.many]
active [later] proctype Unknown() { skip } // error: [constant.expected]
active proctype Low() priority 0 { skip } // error: [process.priority]
active proctype Starter() {
	byte x = run Array(1); // error: [run.initial]
	run Nobody(); // error: [name.process.unknown]
	run Limited(1, 2); // error: [run.arguments]
	run Limited(1) priority 256; // error: [process.priority]
	run Limited(1) && 1; // error: [run.compound]
	d_step { run Limited(1) } // error: [d_step.run]
}
init { skip }
init { skip } // error: [process.init.twice]
