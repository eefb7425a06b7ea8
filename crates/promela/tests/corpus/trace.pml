mtype = { a, b };
chan q = [1] of { mtype, byte };
init { q!a, 1 }
trace { do :: q!a, _ :: q?b, 3; q?a, _ od }
