// flags: --fair
// expect: assertions holds
// expect: end states holds
// expect: arrives holds
// also: --por off => arrives violated
// states: plain 10 default 10
//
// A worker that has three steps to go, beside a clock that ticks for ever.
//
// To be seen: without an assumption on scheduling, the clock may always be the one that moves, and the worker
// never arrives: a counterexample whose cycle holds steps of the clock only. With `--fair` (weak fairness: who
// can always move, moves again and again) that run does not count.
//
//   probity check examples/fairness.pml
//   probity check examples/fairness.pml --fair

bool tick;
byte steps;

active proctype clock()
{
    do
    :: tick = !tick
    od
}

active proctype worker()
{
    steps = 1;
    steps = 2;
    steps = 3
}

ltl arrives { <> (steps == 3) }
