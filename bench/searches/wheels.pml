// Four wheels with K teeth: everything is one strongly connected component.
#define K 20
#define M 4

byte wheel[4];
byte phase;

active [4] proctype Wheel() {
    do
    :: d_step { wheel[_pid] = (wheel[_pid] + 1) % K; phase = (phase + 1) % M }
    od
}

ltl again { ([] <> (phase == 1)) -> ([] <> (phase == 0)) }

// Violated, by cycles that begin far from the initial state.
ltl late { <> [] !(wheel[0] == K - 1 && wheel[1] == K - 1 && wheel[2] == 0) }
