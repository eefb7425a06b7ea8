// expect: assertions violated
// expect: end states holds
// states: plain 98 default 98
//
// Peterson's algorithm with its first two lines exchanged: a process gives way before it says that it wants to
// enter. The other one can pass in between, and both are inside.
//
// To be seen: an assertion that fails, and the shortest way there.
//
//   probity check examples/peterson_broken.pml --shortest

bool wants[2];
byte gives_way;
byte inside;

active [2] proctype user()
{
    do
    :: gives_way = _pid;                // too early
       wants[_pid] = true;
       wants[1 - _pid] == false || gives_way == 1 - _pid;
       inside++;
       assert(inside == 1);
       inside--;
       wants[_pid] = false
    od
}
