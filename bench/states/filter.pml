/* Peterson's lock for N processes, level by level. No channels. */
#define N 4

byte level[N];
byte last[N];
byte inside;

active [N] proctype P() {
	byte l, k;
again:
	l = 1;
	do
	:: l < N ->
		level[_pid] = l;
		last[l] = _pid;
		k = 0;
		do
		:: k < N && (k == _pid || level[k] < l || last[l] != _pid) -> k++
		:: k == N -> break
		od;
		l++
	:: l == N -> break
	od;
	inside++;
	assert(inside == 1);
	inside--;
	level[_pid] = 0;
	goto again
}
