// A constant belongs to one list.
mtype = { red };
mtype:state = { idle };
mtype:state s = red; // error: [type.mtype]
mtype m;
init {
	s = red; // error: [type.mtype]
	m = red;
	m = idle // error: [type.mtype]
}
