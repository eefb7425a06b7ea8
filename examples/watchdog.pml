// expect: assertions holds
// expect: end states holds
// expect: recovers holds
// expect: never_reset violated
// states: plain 9 default 9
//
// A machine works through its phases *unless* a watchdog rings: the escape of an `unless` is tried before every
// statement of its main part, wherever control is. After a reset the machine starts again from the beginning.
//
// To be seen: the escape from any phase, and `timeout`, which is executable when nothing else is: the machine
// may get stuck in its second phase, and only then the watchdog rings.
//
//   probity check examples/watchdog.pml

byte phase;
bool stuck, alarm;

active proctype machine()
{
    do
    :: {
           phase = 1;
           phase = 2;
           if
           :: stuck = true; false       // hangs
           :: skip
           fi;
           phase = 3
       } unless {
           atomic { alarm -> alarm = false; stuck = false; phase = 0 }
       }
    od
}

active proctype watchdog()
{
    do
    :: timeout -> assert(stuck && phase == 2); alarm = true
    od
}

ltl recovers { [] (stuck -> <> !stuck) }
ltl never_reset { [] !alarm }
