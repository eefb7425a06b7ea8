chan q = [1] of { byte };
init { q!1 }
trace { q!1 }
notrace { q?1 } // error: [trace.twice]
