chan q = [1] of { byte };
active proctype Sender() { xs q; q!1 }
active proctype Receiver() { xr q; byte x; q?x }
