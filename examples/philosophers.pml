// expect: assertions holds
// expect: end states violated
// states: plain 573 default 573
//
// Five dining philosophers. Each takes the fork at the left, then the one at the right, eats, and puts both
// back. A fork is a channel that holds one message while the fork lies on the table.
//
// To be seen: a deadlock. All five have taken the left fork and wait for the right one; the report names what
// each of them waits for.
//
//   probity check examples/philosophers.pml --shortest

#define N 5

chan fork[N] = [1] of { bit };

proctype philosopher(byte left, right)
{
    do
    :: fork[left] ? 1;
       fork[right] ? 1;
       skip;                            // eats
       fork[right] ! 1;
       fork[left] ! 1
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) {
            fork[i] ! 1;
            run philosopher(i, (i + 1) % N)
        }
    }
}
