// expect: assertions holds
// expect: end states holds
// expect: answered violated
// also: --fair => answered holds
// states: plain 800 default 800
//
// Two clients and a server that speak by rendezvous. A client creates a channel of its own and sends it along
// with its question; the server hands the question to a worker process, which answers on the client's channel
// and ends.
//
// Processes leave in the opposite order of their coming, so a worker that is done stays until all younger ones
// have gone. A client therefore looks at `_nr_pr` before it asks: without that, workers could pile up.
//
// To be seen: channels as values, handshakes as single steps (`client(1) -> server(0)` in a trace), processes
// that come and go.
//
//   probity check examples/client_server.pml
//   probity simulate examples/client_server.pml --seed 7 --steps 30

chan service = [0] of { byte, chan };
bool waiting[3];

proctype worker(byte question; chan reply)
{
    reply ! question + 1
}

active proctype server()
{
    byte question;
    chan reply;
end:
    do
    :: service ? question, reply -> run worker(question, reply)
    od
}

active [2] proctype client()
{
    chan reply = [0] of { byte };
    byte answer;
end:
    do
    :: _nr_pr < 5 ->
       service ! 10 * _pid, reply;
       waiting[_pid] = true;
       reply ? answer;
       assert(answer == 10 * _pid + 1);
       waiting[_pid] = false
    od
}

ltl answered { [] (waiting[1] -> <> !waiting[1]) }
