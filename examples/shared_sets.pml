// expect: assertions holds
// expect: end states holds
// also: -DNO_LOOK_AGAIN => assertions violated
// also: -DNO_LOCK_IN_LIST => assertions violated
//
// Disjoint sets that several workers unite while they take work out of them (UFSCC: Bloemen, Laarman, van de Pol, PPoPP 2016),
// as Probity does it itself (crates/store/src/shared_sets.rs). A set is a tree of parents and a cyclic list of its states;
// what is explored is gone from the list. Uniting locks the smaller root and one state of each list, hangs the one root below
// the other and exchanges what comes next in the lists. What is said of a set is said of its root, and said again where that
// has got a parent meanwhile.
//
// Each worker says something of the set of one state, unites all states in an order of its own, and then explores what is
// left. A word of the program is two variables here, which change in one step.
//
// To be seen: whatever the workers do, each state is explored by one of them, nothing that was said is lost, a set is dead
// only when all of it is explored, and nobody waits for ever. What is said once (-DNO_LOOK_AGAIN) is lost where the root is
// hung below another in the same moment. Without locks in the lists (-DNO_LOCK_IN_LIST) two who unite with the same
// set at once lose a part of it.
//
//   probity check examples/shared_sets.pml
//   probity check examples/shared_sets.pml -DNO_LOOK_AGAIN --shortest

#ifndef WORKERS
#define WORKERS 2
#endif

#define STATES 3
#define NONE STATES

// Of a root: live, locked by somebody who unites, dead. Of a state in a list: live, locked, gone.
#define LIVE 0
#define LOCKED 1
#define DEAD 2
#define GONE DEAD

byte parent[STATES] = {0, 1, 2};
byte status[STATES];
byte next[STATES] = {0, 1, 2};
byte entry[STATES];
byte said[STATES];
byte explored, ended;

#define is_root(x) (parent[x] == (x))

// The root of a state's set; the path to it is made shorter on the way.
inline find(state, root) {
    root = state;
    do
    :: is_root(root) -> break
    :: else ->
        above = parent[root];
        beyond = parent[above];
        if
        :: atomic { parent[root] == above -> parent[root] = beyond }
        :: else
        fi;
        root = above
    od
}

// Says something of the set of a state: of its root, until that has no parent.
inline say(state, what) {
    do
    :: find(state, root);
        said[root] = said[root] | (what);
#ifdef NO_LOOK_AGAIN
        break
#else
        if
        :: is_root(root) -> break
        :: else
        fi
#endif
    od
}

// A state of a list that is not gone; waits for those that are locked.
inline find_present(state, picked) {
    picked = state;
    do
    :: entry[picked] == LIVE -> break
    :: atomic { entry[picked] == GONE -> above = next[picked] };
        if
        :: above == picked -> picked = NONE; break
        :: else
        fi;
        if
        :: entry[above] == LIVE -> picked = above; break
        :: atomic { entry[above] == GONE -> beyond = next[above] };
            // Two in a row are gone: nobody needs to come by the second again.
            if
            :: atomic { next[picked] == above -> next[picked] = beyond }
            :: else
            fi;
            picked = beyond
        fi
    od
}

// Locks a present state of a list, and reads what comes next.
inline lock_present(state, picked, after) {
    do
    :: find_present(state, picked);
        if
        :: picked == NONE -> break
        :: else
        fi;
        if
#ifdef NO_LOCK_IN_LIST
        :: atomic { entry[picked] == LIVE -> after = next[picked] }; break
#else
        :: atomic { entry[picked] == LIVE -> entry[picked] = LOCKED; after = next[picked] }; break
#endif
        :: entry[picked] != LIVE
        fi
    od
}

proctype worker(byte number) {
    byte one, other, low, high, low_picked, high_picked, low_next, high_next;
    byte root, above, beyond, what, united;

    say(number % STATES, 1 << number);
begin:
    one = number % STATES;
    other = (number + 1 + united) % STATES;
unite:
    find(one, low);
    find(other, high);
    if
    :: low == high -> goto are_united
    :: low > high -> d_step { root = low; low = high; high = root; root = one; one = other; other = root }
    :: else
    fi;
    if
    :: atomic { is_root(low) && status[low] == LIVE -> status[low] = LOCKED }
    :: else -> goto unite
    fi;
    lock_present(one, low_picked, low_next);
    if
    :: low_picked == NONE -> status[low] = LIVE; goto unite
    :: else
    fi;
    lock_present(other, high_picked, high_next);
    if
    :: high_picked == NONE -> entry[low_picked] = LIVE; status[low] = LIVE; goto unite
    :: else
    fi;
    d_step { parent[low] = high; status[low] = LIVE };
    what = said[low];
    say(high, what);
    d_step { next[low_picked] = high_next; entry[low_picked] = LIVE };
    d_step { next[high_picked] = low_next; entry[high_picked] = LIVE };
are_united:
    united++;
    if
    :: united < STATES - 1 -> goto begin
    :: else -> one = number % STATES
    fi;

    do
    :: find_present(one, other);
        if
        :: other == NONE -> break
        :: else
        fi;
        if
        :: d_step {
                entry[other] == LIVE -> entry[other] = GONE;
                assert(!(explored & (1 << other)));
                explored = explored | (1 << other)
            }
        :: entry[other] != LIVE
        fi
    od;
    // Nothing is left: the set is dead.
    do
    :: find(one, root);
        if
        :: atomic { is_root(root) && status[root] == LIVE -> status[root] = DEAD };
            assert(explored == (1 << STATES) - 1);
            break
        :: is_root(root) && status[root] == DEAD -> break
        :: else
        fi
    od;
    ended++;
    find(one, root);
    assert(ended < WORKERS || (said[root] == (1 << WORKERS) - 1 && explored == (1 << STATES) - 1))
}

init {
    byte number;
    atomic {
        for (number : 0 .. WORKERS - 1) {
            run worker(number)
        }
    }
}
