// expect: assertions holds
// expect: end states holds
// expect: mutual_exclusion holds
// states: plain 27 default 27
//
// MULOG with one node: mutual exclusion by path reversal; see mulog.h for the algorithm.
//
// One node alone: it holds the token and goes in and out. 27 states.
//
//   probity check examples/mulog_1.pml

#define NODES 1
#include "mulog.h"
