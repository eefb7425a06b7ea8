// Symbolic constants: lists, subtypes, optional commas.
mtype = { red, green blue };
mtype { cyan };
mtype:state = { idle, busy, };
mtype m = red;
mtype:state s = idle;
byte b = green;
chan q = [1] of { mtype, mtype:state };
inline set(x, v) { x = v }
init {
	m = blue; s = busy; q!red, idle; q?eval(m), busy; printm(m);
	set(s, idle); set(m, busy)
}
