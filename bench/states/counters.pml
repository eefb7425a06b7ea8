/* Counters that go round on their own, and a gate that counts how often one of them did. No channels. */
#define N 4
#define K 12

byte value[N];
byte rounds;

active [N] proctype Counter() {
	do
	:: value[_pid] < K - 1 -> value[_pid]++
	:: value[_pid] == K - 1 -> atomic { value[_pid] = 0; rounds = 1 - rounds }
	od
}
