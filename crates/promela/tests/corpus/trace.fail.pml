chan q = [1] of { byte };
byte x;
init { q!1 }
trace { x = 1; q!1; q??1; skip } // error: [trace.event] error: [trace.event] error: [trace.event]
