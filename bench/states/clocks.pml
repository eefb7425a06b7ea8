/* N clocks modulo K that never drift more than D apart, and may be set to a neighbour's time. No channels. */
#define N 3
#define K 24
#define D 3

byte time[N];

#define BEHIND(a, b) ((b - a + K) % K)

active [N] proctype Clock() {
	byte next = (_pid + 1) % N;
	do
	:: BEHIND(time[next], time[_pid]) < D -> time[_pid] = (time[_pid] + 1) % K
	:: BEHIND(time[next], time[_pid]) > D -> time[_pid] = (time[_pid] + 1) % K
	:: BEHIND(time[next], time[_pid]) == D -> time[_pid] = time[next]
	od
}
