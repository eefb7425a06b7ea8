/* Elevators between F floors, and calls that the nearest free one need not answer. No channels. */
#define E 2
#define F 7

bit called[F];
byte floor[E];
byte goal[E];

active [E] proctype Elevator() {
	byte f;
	do
	:: atomic {
		goal[_pid] == floor[_pid];
		select(f : 0 .. F - 1);
		if
		:: called[f] -> goal[_pid] = f
		:: else
		fi;
		f = 0
	}
	:: goal[_pid] > floor[_pid] -> floor[_pid]++
	:: goal[_pid] < floor[_pid] -> floor[_pid]--
	:: atomic { goal[_pid] == floor[_pid] && called[floor[_pid]] -> called[floor[_pid]] = 0 }
	od
}

active proctype Caller() {
	byte f;
	do
	:: atomic { select(f : 0 .. F - 1); called[f] = 1; f = 0 }
	od
}
