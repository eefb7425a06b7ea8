chan q = [1] of { byte }, a[2] = [1] of { byte };
byte x;
active proctype Sender() { xs q; xr a[0]; q!1 } // error: [exclusive.array]
active proctype Other() { xs q; xr x; q!1 } // error: [exclusive.conflict] error: [exclusive.channel]
active proctype Choice() {
	if :: q?x :: else fi // error: [else.exclusive]
}
