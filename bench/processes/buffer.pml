/* The twin of buffer.pvl. */
#define N 54

chan items = [6] of { byte };

active proctype Produce1()
{
    byte left = N;
end:
    do
    :: d_step { left > 0 && nfull(items) -> items!1; left-- }
    od
}

active proctype Produce2()
{
    byte left = N;
end:
    do
    :: d_step { left > 0 && nfull(items) -> items!2; left-- }
    od
}

active proctype Consume()
{
    byte left = 2 * N, value;
end:
    do
    :: d_step { left > 0 && nempty(items) -> items?value; value = 0; left-- }
    od
}
