// expect: assertions holds
// expect: end states holds
// expect: mutual_exclusion holds
// expect: served holds
// states: plain 3430 default 3205
//
// Lamport's bakery for two customers. Who comes draws a ticket above all others and is served in the order of
// tickets; equal tickets are ordered by customer. Reading the other tickets and writing one's own is not
// atomic, so two customers may draw the same ticket: `choosing` protects the moment in between.
//
// Tickets would grow for ever. Here a customer who would draw one above LIMIT steps back and comes again when
// the other one has been served, which keeps the model finite.
//
// To be seen: the critical section is entered by one at a time, and who has drawn a ticket is served. The
// second needs no assumption on scheduling: the other customer comes to a point where it can only wait.
//
//   probity check examples/bakery.pml

#define N 2
#define LIMIT 3

bool choosing[N];
byte ticket[N];
byte inside;

active [N] proctype customer()
{
    byte highest, j;
again:
    choosing[_pid] = true;
    highest = 0;
    for (j : 0 .. N - 1) {
        if
        :: ticket[j] > highest -> highest = ticket[j]
        :: else
        fi
    }
    if
    :: highest < LIMIT -> ticket[_pid] = highest + 1
    :: else -> choosing[_pid] = false; ticket[1 - _pid] == 0; goto again
    fi;
    choosing[_pid] = false;

    j = 0;
    do
    :: j < N ->
       !choosing[j];
       (ticket[j] == 0 || ticket[j] > ticket[_pid] || (ticket[j] == ticket[_pid] && j >= _pid));
       j++
    :: else -> break
    od;

    inside++;
    assert(inside == 1);
    inside--;
    ticket[_pid] = 0;
    goto again
}

ltl mutual_exclusion { [] (inside <= 1) }
ltl served { [] (ticket[0] > 0 -> <> (ticket[0] == 0)) }
