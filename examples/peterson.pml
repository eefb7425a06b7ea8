// expect: assertions holds
// expect: end states holds
// expect: mutual_exclusion holds
// expect: first_gets_in holds
// expect: always_first violated
// also: --fair => always_first holds
// states: plain 38 default 38
//
// Peterson's mutual exclusion for two processes. Each says that it wants to enter, gives way to the other, and
// waits until the other does not want to enter or has given way in its turn.
//
// To be seen: three formulas about labels and variables. Two hold. The third, that the first process enters
// again and again, does not: nothing makes a process move if the other one always does, and the
// counterexample is a run in which the second process goes round alone.
//
//   probity check examples/peterson.pml
//   probity check examples/peterson.pml --prop always_first --fair     (with fair runs only it holds)

bool wants[2];
byte gives_way;                 // the process that gave way last
byte inside;                    // how many are in the critical section

active [2] proctype user()
{
    do
    :: wants[_pid] = true;
       gives_way = _pid;
wait:  wants[1 - _pid] == false || gives_way == 1 - _pid;
       inside++;
critical:
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}

ltl mutual_exclusion { [] !(user[0]@critical && user[1]@critical) }

// Who waits is not overtaken for ever, as long as the other process does not stop.
ltl first_gets_in { ([]<> user[1]@critical && []<> user[0]@wait) -> []<> user[0]@critical }

ltl always_first { []<> user[0]@critical }
