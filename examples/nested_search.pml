// expect: assertions holds
// expect: end states holds
// also: -DNO_WAIT => assertions violated
//
// Nested depth-first search by several workers (CNDFS: Evangelista, Laarman, Petrucci, van de Pol, ATVA 2012), as Probity
// does it itself (crates/search/src/cndfs.rs), on one graph. Blue and red are shared, cyan and what a red search gathers belong
// to a worker. Before a worker paints red what it gathered, it waits until the accepting states of others in it are red.
//
// The graph has an accepting cycle, A -> X -> Y -> A, and an accepting state B before it that is on none:
//
//      S -> Y, S -> A, S -> B      Y -> X, Y -> A      X -> Y      A -> X      B -> X
//
// To be seen: whatever the workers do, one of them finds the cycle before all have ended, and nobody waits for ever. Without
// the wait (-DNO_WAIT) it is missed: one worker leaves X, then Y, while the other has painted A blue and not looked behind it
// yet; the red search from B paints X red, and the one from A does not enter it any more.
//
//   probity check examples/nested_search.pml
//   probity check examples/nested_search.pml -DNO_WAIT --shortest
//   probity check examples/nested_search.pml -DWORKERS=3        (22 103 461 states)

#ifndef WORKERS
#define WORKERS 2
#endif

#define NODES 5
#define S 0
#define Y 1
#define X 2
#define A 3
#define B 4
#define only(n) (1 << (n))
#define ACCEPTING (only(A) | only(B))
#define successors(n) \
    ((n) == S -> only(Y) | only(A) | only(B) : ((n) == Y -> only(X) | only(A) : ((n) == X -> only(Y) : only(X))))

byte blue, red;
bool found;
byte ended;

// Takes one of the nodes of a set out of it.
inline take(set, node) {
    if
    :: set & only(S) -> node = S
    :: set & only(Y) -> node = Y
    :: set & only(X) -> node = X
    :: set & only(A) -> node = A
    :: set & only(B) -> node = B
    fi;
    set = set & ~only(node)
}

proctype worker() {
    byte path[NODES], open[NODES], cyan, depth;
    byte red_open[NODES], gathered, red_depth;
    byte next, others;

    next = S;
enter:
    d_step {
        cyan = cyan | only(next);
        path[depth] = next;
        open[depth] = successors(next);
        depth++;
        // A cycle that the blue search closes by itself.
        found = found || (successors(next) & cyan & ACCEPTING) || ((only(next) & ACCEPTING) && (successors(next) & cyan))
    }
look:
    if
    :: found -> goto done
    :: else
    fi;
    if
    :: open[depth - 1] ->
        atomic { take(open[depth - 1], next) };
        if
        :: (blue | cyan) & only(next) -> goto look
        :: else -> goto enter
        fi
    :: else
    fi;

    next = path[depth - 1];
    blue = blue | only(next);
    if
    :: only(next) & ACCEPTING -> gathered = 0
    :: else -> goto leave
    fi;
red_enter:
    d_step {
        gathered = gathered | only(next);
        found = found || (successors(next) & cyan);
        red_open[red_depth] = successors(next);
        red_depth++
    }
    do
    :: found -> goto done
    :: !found && red_open[red_depth - 1] ->
        atomic { take(red_open[red_depth - 1], next) };
        if
        :: (red | gathered) & only(next)
        :: else -> goto red_enter
        fi
    :: !found && !red_open[red_depth - 1] ->
        red_depth--;
        if
        :: red_depth == 0 -> break
        :: else
        fi
    od;

    others = gathered & ACCEPTING & ~only(path[depth - 1]);
#ifndef NO_WAIT
    (red & others) == others || found;
#endif
    do
    :: gathered -> atomic { take(gathered, next) }; red = red | only(next)
    :: else -> break
    od;
leave:
    d_step {
        depth--;
        cyan = cyan & ~only(path[depth]);
        path[depth] = 0
    }
    if
    :: depth -> goto look
    :: else
    fi;
done:
    ended++;
    assert(ended < WORKERS || found)
}

init {
    byte number;
    atomic {
        for (number : 1 .. WORKERS) {
            run worker()
        }
    }
}
