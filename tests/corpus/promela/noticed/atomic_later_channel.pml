// The channel where control is lost has one sender and one receiver, but the one after it has not. Only where control is
// lost 7 comes before 1.
// expect: assertions violated

chan q = [1] of {byte}; chan r = [1] of {byte}; chan s = [2] of {byte};
active proctype A() { q!9; atomic { r!1; q!1; s!1 } }
active proctype B() { byte y; end: do :: q?y od }
active proctype D() { byte x; r?x; s!7 }
active proctype E() {
    byte z; bit one;
    end: do :: s?z; if :: z == 1 -> one = 1 :: z == 7 -> assert(one) :: else fi od
}
