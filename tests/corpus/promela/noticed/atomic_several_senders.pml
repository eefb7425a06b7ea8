// A sequence that loses control at a channel to which others send, too. Only then 7 comes before 1.
// expect: assertions violated

chan q = [1] of {byte}; chan r = [1] of {byte};
active proctype A() { atomic { r!1; q!1 } }
active proctype B() {
    byte y; bit one;
    end: do :: q?y; if :: y == 1 -> one = 1 :: y == 7 -> assert(one) :: else fi od
}
active proctype C() { q!9 }
active proctype D() { byte x; r?x; q!7 }
