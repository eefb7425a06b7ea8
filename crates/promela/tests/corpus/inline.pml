// Text with parameters; names mean what they mean at the call.
byte x, y;
inline set(v, e) { v = e }
inline twice(v, e) { set(v, e); set(v, v * 2) }
inline loop(n) { byte i; i = 0; again: if :: i < n -> i++; goto again :: else fi }
inline sum(a, b) { if :: a > b -> return a :: else -> return a + b fi }
inline poll(c) { c }
init { set(x, 1 + 2); twice(y, x); loop(2); loop(3); x = sum(x, y); poll(x > 1 && y) }
