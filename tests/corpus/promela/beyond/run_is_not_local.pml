// `run` gives out the next pid, so it depends on every other `run`: a reduction that takes it for a local
// step never sees the process of `init` come second, and misses that the assertion can fail.
// expect: assertions violated
// expect: end states holds

active proctype f() { assert(_pid == 1) }
init { run f() }
