// expect: assertions holds
// expect: end states holds
// expect: delivers holds
// expect: delivers_always violated
// states: plain 380 default 432
//
// The alternating bit protocol. A sender repeats a value until it gets an acknowledgement that carries the
// same bit; a receiver takes a value whose bit is the one it waits for. Both directions lose messages: a
// process of its own may take away whatever is on its way.
//
// To be seen: values arrive once each and in order (the assertion). If messages get through again and again in
// both directions, new values are accepted again and again. Without that premise nothing is promised, and the
// counterexample is a run that loses everything.
//
//   probity check examples/alternating_bit.pml

#define VALUES 4

chan forward = [1] of { bit, byte };
chan back = [1] of { bit };

byte wanted;                            // the next value that the receiver must see

active proctype sender()
{
    byte value;
    bit tag, reply;
    do
    :: forward ! tag, value             // for the first time, or again
    :: back ? reply;
confirmed:
       if
       :: reply == tag -> atomic { tag = 1 - tag; value = (value + 1) % VALUES }
       :: else                          // an old acknowledgement
       fi
    od
}

active proctype receiver()
{
    byte value;
    bit tag, expected;
    do
    :: forward ? tag, value;
arrived:
       if
       :: tag == expected ->
          assert(value == wanted);
          atomic { expected = 1 - expected; wanted = (wanted + 1) % VALUES }
       :: else                          // a repetition
       fi;
       back ! tag
    od
}

active proctype loss()
{
    do
    :: forward ? _, _
    :: back ? _
    od
}

ltl delivers { ([]<> receiver@arrived && []<> sender@confirmed) -> []<> (wanted == 0) }
ltl delivers_always { []<> (wanted == 0) }
