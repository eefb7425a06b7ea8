// Every way to send, receive, peek and poll.
mtype = { data, ack };
chan q = [4] of { mtype, byte };
chan r = [0] of { byte };
byte x; mtype m; chan copy;
init {
	q!data, 1; q!data(2); q!!ack, 3; q!!ack(x + 1);
	q?m, x; q?data(x); q?(m, x); q??ack, x; q?<m, x>; q??<ack, _>;
	q?eval(m), eval(x + 1); q?data, -1; q?_, _;
	q?[data, x] -> q??[ack, 3] && len(q) > 0;
	(full(q) || nempty(q)) && x; nfull(q); empty(q);
	copy = q; copy!data, 1;
	r!1; r?x
}
