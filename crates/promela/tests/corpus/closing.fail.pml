init {
	do :: skip
} // error: [parse.unexpected]
proctype After() { skip }
init { ( skip } // error: [parse.unexpected]
proctype Fine() { skip }
