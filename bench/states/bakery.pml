/* Lamport's bakery with tickets up to MAX: who would need a higher one waits. No channels. */
#define N 3
#define MAX 7

bool choosing[N];
byte ticket[N];
byte inside;

active [N] proctype P() {
	byte k, most;
again:
	choosing[_pid] = true;
	k = 0;
	most = 0;
	do
	:: k < N ->
		if
		:: ticket[k] > most -> most = ticket[k]
		:: else
		fi;
		k++
	:: k == N -> break
	od;
	if
	:: most < MAX -> ticket[_pid] = most + 1
	:: else -> choosing[_pid] = false; goto again
	fi;
	choosing[_pid] = false;
	k = 0;
	do
	:: k < N ->
		!choosing[k];
		(ticket[k] == 0 || ticket[k] > ticket[_pid] || (ticket[k] == ticket[_pid] && k >= _pid));
		k++
	:: k == N -> break
	od;
	inside++;
	assert(inside == 1);
	inside--;
	ticket[_pid] = 0;
	goto again
}
