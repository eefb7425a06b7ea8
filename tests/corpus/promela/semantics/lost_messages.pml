// With -m, a send to a full channel is executed and its message is lost.
// expect: assertions violated
// expect: end states holds
// states: plain 41 default 41
// flags: -m

chan q = [1] of { byte };
byte last;

active proctype A() {
	byte j;
	j = 1;
	q!1;
	j = 2;
	q!2;
	q!!3;
	last = j;
	assert(last == 2)
}

active proctype B() {
	byte x;
	q?x;
end:	do
	:: q?x -> assert(x == 2)
	od
}
