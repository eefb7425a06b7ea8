/* Election in a ring with messages one way (Dolev, Klawe, Rodeh): who has the largest number wins. */
#define N 7
#define L 4

mtype = { one, two, winner };
chan to[N] = [L] of { mtype, byte };
byte leaders;

proctype Node(chan in, out; byte mine) {
	bit competes = 1;
	bit knows;
	byte number, greatest = mine, neighbour;
	out!one(mine);
end:
	do
	:: in?one(number) ->
		if
		:: competes ->
			if
			:: number != greatest -> out!two(number); neighbour = number
			:: else -> knows = 1; out!winner(number)
			fi
		:: else -> out!one(number)
		fi
	:: in?two(number) ->
		if
		:: competes ->
			if
			:: neighbour > number && neighbour > greatest -> greatest = neighbour; out!one(neighbour)
			:: else -> competes = 0
			fi
		:: else -> out!two(number)
		fi
	:: in?winner(number) ->
		if
		:: number == mine -> leaders++; assert(leaders == 1)
		:: else
		fi;
		if
		:: knows
		:: else -> out!winner(number)
		fi;
		break
	od
}

init {
	byte k = 1;
	atomic {
		do
		:: k <= N -> run Node(to[k - 1], to[k % N], (N + 3 - k) % N + 1); k++
		:: k > N -> break
		od
	}
}
