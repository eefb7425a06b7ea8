// A parameter takes its value from run.
proctype Initialised(byte x = 2) { skip } // error: [process.parameter.initial]
init { skip }
