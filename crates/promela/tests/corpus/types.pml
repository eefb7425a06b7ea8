// All basic types, arrays, widths, prefixes.
bit b; bool t = true; byte y = 255; pid p; short s = -1; int i = -2147483647;
unsigned u : 5 = 3, v : 31;
bit bits[8]; int many[2 * 3 + 1]; byte filled[3] = 7; byte listed[4] = { 1, 2 };
hidden byte scratch; show byte shown; local byte mine;
chan none; chan rendezvous = [0] of { byte }; chan channels[2] = [3] of { mtype, int, chan };
init {
	many[6] = u + v; bits[b] = 1; scratch = shown + mine; listed[0] = filled[1];
	_ = 3; y = 'a' + '\n'; s = ~i; t = !t; i = -i
}
