// expect: assertions holds
// expect: end states holds
// expect: somebody_eats holds
// expect: everybody_eats violated
// states: plain 160 default 160
//
// The philosophers again, but everyone takes the fork with the smaller number first: forks are taken in one
// order by all, so no circle of waiting can close.
//
// To be seen: no deadlock, and somebody eats again and again. Not everybody does: the neighbours of a
// philosopher may always be faster.
//
//   probity check examples/philosophers_fixed.pml

#define N 4

chan fork[N] = [1] of { bit };
bool eating[N];

proctype philosopher(byte me, first, second)
{
    do
    :: fork[first] ? 1;
       fork[second] ? 1;
       eating[me] = true;
       eating[me] = false;
       fork[second] ! 1;
       fork[first] ! 1
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) {
            fork[i] ! 1;
            if
            :: i < N - 1 -> run philosopher(i, i, i + 1)
            :: else -> run philosopher(i, 0, N - 1)
            fi
        }
    }
}

ltl somebody_eats { []<> (eating[0] || eating[1] || eating[2] || eating[3]) }
ltl everybody_eats { []<> eating[0] && []<> eating[1] && []<> eating[2] && []<> eating[3] }
