proctype P() { skip }
init { P == 1 } // error: [parse.unexpected]
