c_decl { int x; } // error: [embedded.c]
c_state "int x" "Global" // error: [embedded.c]
c_track "&x" "sizeof(int)" "Matched" // error: [embedded.c]
init {
	c_code [1 > 0] { x = 1; }; // error: [embedded.c]
	c_expr { x == '}' } -> skip; // error: [embedded.c]
	byte y; y = 1 + c_expr { x } // error: [embedded.c]
}
ltl p { [] c_expr { x } } // error: [embedded.c]
