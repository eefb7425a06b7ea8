chan q = [1] of byte; // error: [parse.unexpected]
init { q!; skip } // error: [parse.unexpected]
proctype P() { byte x; q?x + 1; q?[x } // error: [parse.separator] error: [parse.unexpected]
