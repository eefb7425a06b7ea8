proctype Idle() { skip } // error: [process.none]
