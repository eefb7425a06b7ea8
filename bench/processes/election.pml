/* The twin of examples/models/election.pvl: a worker is one place with a counter, so that states are those of the terms. */
#define N 7

chan ring[N] = [N] of { byte };
short lead = -1;

active [N] proctype Elect()
{
    byte left = N, value = _pid, received;
    bit sent, announced;
end:
    do
    :: d_step { left > 0 && !sent -> ring[(_pid + 1) % N]!value; sent = 1 }
    :: d_step {
        sent && nempty(ring[_pid]) ->
        ring[_pid]?received;
        value = (value < received -> received : value);
        received = 0;
        left--;
        sent = 0
       }
    :: d_step { left == 0 && value == _pid && !announced -> announced = 1; lead = _pid }
    od
}
