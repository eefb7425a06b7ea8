// A never claim may count with a variable of its own: here, visits to x == 1.
// expect: thrice violated
// expect: often holds

byte x;
active proctype p() { do :: x == 0 -> x = 1 :: x == 1 -> x = 0 od }
never thrice {
    byte n;
    do
    :: x == 1 && n == 2 -> break
    :: x == 1 && n < 2 -> n++
    :: x == 0
    od
}
never often {
    byte n = 1;
    do
    :: x == 2 -> n = n + 1
    :: x == 2 && n == 5 -> break
    :: else
    od
}
