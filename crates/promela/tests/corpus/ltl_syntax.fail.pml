byte x;
ltl half { [] x && } // error: [parse.unexpected]
ltl assign { x = 1 } // error: [parse.unexpected]
ltl conditional { (x -> x : x) } // error: [parse.unexpected]
init { x = 1 }
