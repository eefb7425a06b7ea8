// expect: assertions holds
// expect: end states holds
// expect: mutual_exclusion holds
// states: plain 2674 default 2674
//
// MULOG with two nodes: mutual exclusion by path reversal; see mulog.h for the algorithm.
//
// To be seen: mutual exclusion holds, and nothing blocks. 2 674 states without partial-order reduction.
//
//   probity check examples/mulog_2.pml

#define NODES 2
#include "mulog.h"
