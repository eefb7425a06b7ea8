// expect: assertions holds
// expect: end states holds
// expect: bounded holds
// expect: in_order holds
// states: plain 1413 default 315
//
// Two producers and two consumers around a buffer for three items, with a closing message for each consumer.
//
// To be seen: processes that are created, end, and are waited for (`_nr_pr`); the last assertion counts what
// came out of the buffer. At the end every process has ended and the buffer is empty, so that
// `--strict-ends`, which also looks at what is left in channels, finds nothing either.
//
//   probity check examples/producer_consumer.pml
//   probity check examples/producer_consumer.pml --strict-ends

#define ITEMS 2

mtype = { item, closing };

chan buffer = [3] of { mtype, byte };
byte produced, consumed;

proctype producer(byte first)
{
    byte i;
    for (i : first .. first + ITEMS - 1) {
        atomic { nfull(buffer) -> buffer ! item(i); produced++ }
    }
}

proctype consumer()
{
    byte i;
    do
    :: atomic { buffer ? item(i) -> consumed++ }
    :: buffer ? closing(_) -> break
    od
}

init {
    atomic { run consumer(); run consumer(); run producer(0); run producer(ITEMS) };
    _nr_pr == 3;                        // both producers have ended
    buffer ! closing(0);
    buffer ! closing(0);
    _nr_pr == 1;
    assert(consumed == 2 * ITEMS)
}

ltl bounded { [] (len(buffer) <= 3) }
ltl in_order { [] (consumed <= produced) }
