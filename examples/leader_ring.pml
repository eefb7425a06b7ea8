// expect: assertions holds
// expect: end states holds
// expect: at_most_one holds
// expect: at_last_one holds
// expect: for_good holds
// states: plain 331 default 331
//
// Leader election in a ring with one direction (Chang and Roberts). Every node sends its number to its
// neighbour. A larger number than its own is passed on, a smaller one is not; who gets its own number back is
// the leader, and tells the others.
//
// To be seen: every channel has one reader and one writer. SPIN is told so by `xr` and `xs`; Probity sees it
// itself, and its partial-order reduction makes use of it: compare the states of the first two commands.
//
//   probity check examples/leader_ring.pml --safety
//   probity check examples/leader_ring.pml --safety --por off
//   probity check examples/leader_ring.pml

#define N 4

mtype = { candidate, elected };

chan link[N] = [N] of { mtype, byte };
byte leaders;

proctype node(chan in, out; byte me)
{
    byte number;
    xr in;
    xs out;

    out ! candidate(me);
    do
    :: in ? candidate(number) ->
       if
       :: number > me -> out ! candidate(number)
       :: number < me                   // goes no further
       :: number == me ->
          leaders++;
          assert(leaders == 1);
          out ! elected(me)
       fi
    :: in ? elected(number) ->
       if
       :: number == me                  // went round
       :: else -> out ! elected(number)
       fi;
       break
    od
}

init {
    byte i;
    atomic {
        for (i : 0 .. N - 1) {
            // 1, 3, 0, 2: neither rising nor falling along the ring
            run node(link[i], link[(i + 1) % N], (2 * i + 1) % (N + 1))
        }
    }
}

ltl at_most_one { [] (leaders <= 1) }
ltl at_last_one { <> (leaders == 1) }
ltl for_good { <>[] (leaders == 1) }
