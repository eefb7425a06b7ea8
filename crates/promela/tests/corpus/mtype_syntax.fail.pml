mtype = { red, red }
mtype = { green, red } // error: [name.redeclared]
hidden mtype = { blue } // error: [type.mtype.visibility]
byte red; // error: [name.redeclared]
mtype = { } // error: [parse.unexpected]
init { mtype = { local_one }; skip }
