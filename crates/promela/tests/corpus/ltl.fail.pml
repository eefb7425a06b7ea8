byte x; chan q = [1] of { byte };
active proctype P() { byte l; here: l = 1 }
ltl arithmetic { [] x == 1 } // error: [temporal.operand]
ltl unknown { <> z } // error: [name.undeclared]
ltl inner { <> l } // error: [name.undeclared]
ltl label { <> P@nowhere } // error: [label.undefined]
ltl process { <> Q@here } // error: [name.process.unknown]
ltl remote { <> P:m } // error: [name.undeclared]
ltl twice { x }
ltl twice { x } // error: [name.redeclared]
