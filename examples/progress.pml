// flags: --progress
// expect: non-progress cycles violated
// also: --progress -DPATIENT => non-progress cycles holds
// states: plain 19 default 19
//
// Two clerks who need a stamp and an ink pad. Each takes one thing first, and gives it back if the other
// thing is gone; a file that is stamped is progress.
//
// To be seen: a livelock. No state is a deadlock, yet both may take and give back for ever without a single
// stamped file: a cycle through no `progress` label. With -DPATIENT both take the stamp first and wait for the
// ink pad, and every cycle stamps a file.
//
//   probity check examples/progress.pml --progress
//   probity check examples/progress.pml --progress -DPATIENT

bool stamp = true, pad = true;

#ifdef PATIENT

active [2] proctype clerk()
{
    do
    :: atomic { stamp -> stamp = false };
       atomic { pad -> pad = false };
progress:
       skip;                            // stamps a file
       pad = true;
       stamp = true
    od
}

#else

#define CLERK(mine, other) \
    do \
    :: atomic { mine -> mine = false }; \
       if \
       :: atomic { other -> other = false }; \
progress: \
          skip; \
          other = true; \
          mine = true \
       :: !other -> mine = true \
       fi \
    od

active proctype stamp_first() { CLERK(stamp, pad) }
active proctype pad_first()   { CLERK(pad, stamp) }

#endif
