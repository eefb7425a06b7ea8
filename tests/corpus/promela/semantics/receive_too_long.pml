// A receive that asks for more fields than there are is an error, and in a handshake it is the receive that is wrong.
// expect: assertions violated
// expect: end states holds

chan q = [0] of { byte, byte };

active proctype A() {
	q!1,2
}

active proctype B() {
	byte x, y, z;
	q?x,y,z
}
