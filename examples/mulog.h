/*
 * Naimi, Tréhel and Arnold's distributed mutual exclusion by path reversal, for NODES processes.
 *
 * One token exists; who holds it may enter the critical section. Every node knows a `parent`, its best guess
 * who will hold the token last; a request travels along the parents to the root, and every node it passes
 * takes the requesting node as its new parent. A root that cannot give the token away yet remembers in `next`
 * who gets it. Node 1 has the token in the beginning and is the parent of all others; 0 is nobody.
 *
 * Messages: 0 is the token, k is a request of node k.
 *
 * A node has a mailbox for one message. Senders take turns (`sending`), the message is marked `filled` when it
 * is there, and `taken` tells the sender that it was read. A sender waits for that, and this is why three nodes
 * can block one another: all wait for a mailbox whose owner waits, too.
 *
 * STEP makes one visible step of a statement that would otherwise be merged with its neighbours, so that the
 * numbers of states are those that the literature gives for this model.
 */
#define STEP(statement) atomic { true -> statement }
#define NOBODY 0
#define TOKEN  0

typedef Mailbox {
    bit sending;        /* somebody is writing */
    bit reading;        /* the owner is reading */
    byte message;
    bit filled;          /* a message is there */
    bit taken           /* the owner has read it */
};

Mailbox box[NODES + 1];
byte x;                 /* how many nodes are in the critical section */

inline deliver(to, what)
{
    atomic { box[to].sending == 0 -> box[to].sending = 1 };
    STEP(box[to].message = what);
    STEP(box[to].filled = 1);
    box[to].taken == 1;
    STEP(box[to].taken = 0);
    STEP(box[to].sending = 0)
}

/* Looks for the addressee from the last node to the first, one comparison a step. */
inline post_1(to, what)
{
    if
    :: to == 1 -> deliver(1, what)
    :: else -> skip
    fi
}
#if NODES >= 2
inline post_2(to, what)
{
    if
    :: to == 2 -> deliver(2, what)
    :: else -> post_1(to, what)
    fi
}
#endif
#if NODES >= 3
inline post_3(to, what)
{
    if
    :: to == 3 -> deliver(3, what)
    :: else -> post_2(to, what)
    fi
}
#endif
#if NODES == 1
#define post(to, what) post_1(to, what)
#elif NODES == 2
#define post(to, what) post_2(to, what)
#else
#define post(to, what) post_3(to, what)
#endif

inline take(message)
{
    atomic { box[me].reading == 0 -> box[me].reading = 1 };
    box[me].filled == 1;
    STEP(box[me].filled = 0);
    STEP(message = box[me].message);
    STEP(box[me].taken = 1);
    STEP(box[me].reading = 0)
}

proctype node(byte me)
{
    byte message, parent, next;
    bit idle, token, requesting;

    STEP(box[me].sending = 0);
    STEP(box[me].reading = 0);
    STEP(box[me].message = 0);
    STEP(box[me].filled = 0);
    STEP(box[me].taken = 0);
    STEP(message = TOKEN);
    STEP(idle = 1);
    STEP(parent = (me == 1 -> NOBODY : 1));
    STEP(next = NOBODY);
    STEP(requesting = 0);
    STEP(token = (me == 1));

    do
    :: if
       :: box[me].filled == 1 ->
          take(message);
          if
          :: message == TOKEN -> STEP(token = 1)
          :: else ->                            /* a request */
             if
             :: parent == NOBODY ->             /* this node is the root */
                if
                :: requesting -> STEP(next = message)
                :: else -> STEP(token = 0); post(message, TOKEN)
                fi
             :: else -> post(parent, message)
             fi;
             STEP(parent = message)
          fi
       :: else ->
          if
          :: idle ->                            /* wants to enter */
             STEP(idle = 0);
             STEP(requesting = 1);
             if
             :: parent == NOBODY -> skip
             :: else -> post(parent, me); STEP(parent = NOBODY)
             fi
          :: else ->
             if
             :: token ->
                STEP(x = x + 1);                /* the critical section */
                STEP(x = x - 1);
                STEP(requesting = 0);
                if
                :: next == NOBODY -> skip
                :: else -> STEP(token = 0); post(next, TOKEN); STEP(next = NOBODY)
                fi;
                STEP(idle = 1)
             :: else -> skip
             fi
          fi
       fi
    od
}

init {
    run node(1);
#if NODES >= 2
    run node(2);
#endif
#if NODES >= 3
    run node(3)
#endif
}

ltl mutual_exclusion { [] (x <= 1) }
