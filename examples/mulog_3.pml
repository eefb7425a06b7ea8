// expect: assertions holds
// expect: end states violated
// expect: mutual_exclusion holds
// slow
// states: plain 2430776 default 2376180
//
// MULOG with three nodes: mutual exclusion by path reversal; see mulog.h for the algorithm.
//
// To be seen: a search of some size (2 376 180 states without partial-order reduction), and two different answers
// about one model: `[] (x <= 1)` holds, never are two nodes in the critical section, but there are 56 invalid
// end states, in which every node waits for a mailbox whose owner waits itself.
//
//   probity check examples/mulog_3.pml
//   probity check examples/mulog_3.pml --safety --all-errors --por off

#define NODES 3
#include "mulog.h"
