// expect: assertions holds
// expect: end states holds
// expect: somebody_may holds
// expect: stabilises holds
// expect: from_the_start violated
// states: plain 313 default 313
//
// Dijkstra's self-stabilising token ring. Three machines hold a number each. The first may move when its number
// equals the last machine's, and then adds one; any other may move when its number differs from its left
// neighbour's, and then copies it. Who may move has the token.
//
// To be seen: from any numbers whatsoever (`select`) the ring comes to have exactly one token and keeps it.
// It need not have one from the start.
//
//   probity check examples/token_ring.pml

#define K 3

byte number[3];
bool started;

#define TOKENS ((number[0] == number[2]) + (number[1] != number[0]) + (number[2] != number[1]))

init {
    byte v;
    atomic {
        select (v : 0 .. 2); number[0] = v;
        select (v : 0 .. 2); number[1] = v;
        select (v : 0 .. 2); number[2] = v;
        started = true
    }
}

active proctype first()
{
    started;
end:
    do
    :: atomic { number[0] == number[2] -> number[0] = (number[0] + 1) % K }
    od
}

active proctype second()
{
    started;
end:
    do
    :: atomic { number[1] != number[0] -> number[1] = number[0] }
    od
}

active proctype third()
{
    started;
end:
    do
    :: atomic { number[2] != number[1] -> number[2] = number[1] }
    od
}

ltl somebody_may { [] (TOKENS > 0) }
ltl stabilises { <>[] (TOKENS == 1) }
ltl from_the_start { [] (started -> TOKENS == 1) }
