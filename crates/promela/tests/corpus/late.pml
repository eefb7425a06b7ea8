// Declarations after the first statement are steps.
typedef Pair { byte left };
init { byte a = 1; a = 2; byte b; byte c = a + 1; byte d[2]; Pair p; chan q; { byte e } }
