// expect: assertions holds
// expect: end states holds
// expect: no_answer violated
// states: plain 3 default 3
//
// A never claim, written by hand: an automaton of the runs that must not be. This one waits for a request, and
// then accepts (its `accept` label is passed for ever) if no answer comes.
//
// To be seen: the claim catches the run in which the server drops a request and nobody asks again. It says
// what `ltl { [] (request -> <> answer) }` would say; `probity ltl '!([] (request -> <> answer))' --format never`
// writes such a claim.
//
//   probity check examples/never.pml

bool request, answer;

active proctype client()
{
end:
    do
    :: atomic { !request && !answer -> request = true }
    :: atomic { answer -> request = false; answer = false }
    od
}

active proctype server()
{
end:
    do
    :: atomic { request && !answer -> answer = true }
    :: atomic { request && !answer -> request = false }         // drops it
    od
}

never no_answer {
    do
    :: true
    :: request && !answer -> goto accept_waiting
    od;
accept_waiting:
    do
    :: !answer
    od
}
