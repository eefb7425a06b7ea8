/* Two pairs that speak by the alternating bit protocol over channels that lose. */
#define PAIRS 2

chan there[PAIRS] = [4] of { bit };
chan back[PAIRS] = [2] of { bit };

proctype Sender(byte pair) {
	bit mine, heard;
	do
	:: there[pair]!mine
	:: back[pair]?heard ->
		if
		:: heard == mine -> mine = 1 - mine
		:: else
		fi
	:: there[pair]?heard
	od
}

proctype Receiver(byte pair) {
	bit heard;
	do
	:: there[pair]?heard -> back[pair]!heard
	:: back[pair]?_
	od
}

init {
	byte k;
	atomic {
		do
		:: k < PAIRS -> run Sender(k); run Receiver(k); k++
		:: else -> break
		od
	}
}
