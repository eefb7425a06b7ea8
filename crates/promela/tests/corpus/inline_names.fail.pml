inline uses() { nowhere = 1 } // error: [name.undeclared]
inline first() { L: skip } // error: [label.misplaced]
init { uses(); uses(); first() }
