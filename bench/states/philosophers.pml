/* Philosophers who take one fork, then the other; the last one begins with the other. No channels. */
#define N 11

bit fork[N];

active [N] proctype Philosopher() {
	byte first = (_pid < N - 1 -> _pid : 0);
	byte second = (_pid < N - 1 -> _pid + 1 : N - 1);
	do
	:: atomic { fork[first] == 0 -> fork[first] = 1 };
		atomic { fork[second] == 0 -> fork[second] = 1 };
		skip;
		fork[second] = 0;
		fork[first] = 0
	od
}
