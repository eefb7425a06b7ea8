/* Szymanski's mutual exclusion: one flag of five values for each process. No channels. */
#define N 4

byte flag[N];
byte inside;

active [N] proctype P() {
	byte k;
	bool found;
again:
	flag[_pid] = 1;
	k = 0;
	do
	:: k < N && flag[k] < 3 -> k++
	:: k == N -> break
	od;
	flag[_pid] = 3;
	k = 0;
	found = false;
	do
	:: k < N && flag[k] == 1 -> found = true; break
	:: k < N && flag[k] != 1 -> k++
	:: k == N -> break
	od;
	if
	:: found ->
		flag[_pid] = 2;
		k = 0;
		do
		:: flag[k] == 4 -> break
		:: flag[k] != 4 -> k = (k + 1) % N
		od
	:: else
	fi;
	flag[_pid] = 4;
	k = 0;
	do
	:: k < _pid && flag[k] < 2 -> k++
	:: k >= _pid -> break
	od;
	inside++;
	assert(inside == 1);
	inside--;
	k = _pid + 1;
	do
	:: k < N && (flag[k] < 2 || flag[k] > 3) -> k++
	:: k >= N -> break
	od;
	flag[_pid] = 0;
	goto again
}
