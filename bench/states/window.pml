/* A sliding window over a channel that loses: W messages under way, numbers modulo M. */
#define W 2
#define M 4
#define C 2

chan data = [C] of { byte, byte };
chan acks = [C] of { byte };

active proctype Sender() {
	byte low, next, text, number;
	do
	:: (next - low + M) % M < W -> data!next, next; next = (next + 1) % M
	:: acks?number ->
		if
		:: (number - low + M) % M < (next - low + M) % M -> low = (number + 1) % M
		:: else
		fi
	:: low != next -> data!low, low
	:: low != next -> data!((next + M - 1) % M), ((next + M - 1) % M)
	od
}

active proctype Receiver() {
	byte expected, number, text;
	do
	:: data?number, text ->
		if
		:: number == expected -> assert(text == expected); expected = (expected + 1) % M
		:: else
		fi;
		acks!((expected + M - 1) % M)
	od
}

active proctype Loser() {
	do
	:: data?_, _
	:: acks?_
	od
}

active proctype Watcher() {
	byte seen;
	do
	:: nempty(data) -> seen = (seen + 1) % 12
	:: nempty(acks) && seen > 0 -> seen--
	od
}
