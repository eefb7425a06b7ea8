// Four that climb K steps and take turns at the top: many small components, and one at the end.
#define K 20
#define M 4

byte step[4];
byte phase;

active [4] proctype Climber() {
    do
    :: d_step { step[_pid] < K -> step[_pid]++; phase = (phase + 1) % M }
    :: d_step { step[_pid] == K -> phase = (phase + 1) % M }
    od
}

ltl again { ([] <> (phase == 1)) -> ([] <> (phase == 0)) }

// Violated, by cycles that begin far from the initial state.
ltl late { <> [] !(step[0] == K && step[1] == K && phase == 1) }
