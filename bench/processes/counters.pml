/* The twin of counters.pvl and of counters-in-a-sequence.pvl. */
#define N 24

byte at[4];

active [4] proctype Count()
{
    byte left = N;
end:
    do
    :: d_step { left > 0 -> left--; at[_pid]++ }
    od
}
