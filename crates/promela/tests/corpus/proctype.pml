// Processes: parameters, instances, priorities, conditions on running.
byte turn;
byte copies = 2;
proctype Plain() { skip }
proctype Parameters(byte a, b; chan c; mtype m) { c!a }
D_proctype Deterministic() { turn = 1 }
active proctype One() { skip }
active [1 + 1] proctype Two() provided (turn == 0 && _pid > 0) { skip }
active [copies] proctype Named() priority 3 { skip }
init priority 2 {
	chan c = [1] of { byte };
	pid p;
	p = run Parameters(1, 2, c, 0) priority 4;
	run Plain();
	run Deterministic()
}
