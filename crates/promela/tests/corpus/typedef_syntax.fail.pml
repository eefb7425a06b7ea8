typedef Empty { }; // error: [type.empty]
init { typedef Inner { byte x }; skip } // error: [parse.unexpected]
