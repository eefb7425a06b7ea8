// expect: assertions holds
// expect: end states holds
// expect: exclusive holds
// expect: readers_share violated
// expect: writers_get_in violated
// states: plain 44 default 44
//
// Readers and writers. Readers may be in together, a writer only alone; the tests and the changes of the two
// counters are atomic.
//
// To be seen: the counters keep what they promise. "Never two readers at once" is a formula that is meant to
// fail: its counterexample shows two readers together. "Writers get in" fails, too: as long as readers
// come and go and one is always inside, a writer waits.
//
//   probity check examples/readers_writers.pml

byte reading, writing;

active [2] proctype reader()
{
    do
    :: atomic { writing == 0 -> reading++ };
       assert(writing == 0);
       reading--
    od
}

active [2] proctype writer()
{
    do
    :: skip;
wants: atomic { reading == 0 && writing == 0 -> writing++ };
inside:
       assert(reading == 0 && writing == 1);
       writing--
    od
}

ltl exclusive { [] (writing <= 1 && !(reading > 0 && writing > 0)) }
ltl readers_share { [] (reading <= 1) }
ltl writers_get_in { [] (writer[2]@wants -> <> writer[2]@inside) }
