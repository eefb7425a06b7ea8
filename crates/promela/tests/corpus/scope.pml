byte g;
proctype P(byte p) { byte l; { byte a; a = l; { byte b; b = a } } { byte a; a = p } }
init { byte l; l = g; if :: { byte n; n = 1 } :: { byte n; n = 2 } fi }
byte l;
