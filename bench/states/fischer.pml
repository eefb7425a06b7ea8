/* Fischer's mutual exclusion in discrete time: a clock for each process, and a tick for all of them. No channels. */
#define N 6
#define EARLIEST 2
#define LATEST 1
#define TOP 3

byte id;
byte clock[N];
bool hurry[N];
byte inside;

active proctype Time() {
	byte k;
	do
	:: d_step {
		(!(hurry[0] && clock[0] >= LATEST) && !(hurry[1] && clock[1] >= LATEST) && !(hurry[2] && clock[2] >= LATEST)
			&& !(hurry[3] && clock[3] >= LATEST) && !(hurry[4] && clock[4] >= LATEST) && !(hurry[5] && clock[5] >= LATEST));
		k = 0;
		do
		:: k < N ->
			if
			:: clock[k] < TOP -> clock[k]++
			:: else
			fi;
			k++
		:: else -> break
		od;
		k = 0
	}
	od
}

active [N] proctype P() {
again:
	atomic { id == 0; clock[_pid - 1] = 0; hurry[_pid - 1] = true };
	atomic { id = _pid; clock[_pid - 1] = 0; hurry[_pid - 1] = false };
	clock[_pid - 1] >= EARLIEST;
	if
	:: id != _pid -> goto again
	:: id == _pid
	fi;
	inside++;
	assert(inside == 1);
	inside--;
	id = 0;
	goto again
}
