// The declaration of a structure behind the first statement is a step of its own that does nothing, which is merged with
// its neighbours like the assignments that other declarations are.
// expect: assertions holds
// expect: end states holds
// states: plain 201 default 31

typedef T { byte x; byte y };
typedef U { T t[2]; bit z };
byte g;

active [2] proctype P() {
	byte j;
	j = 1;
	U u;
	T t[2];
	j = 3;
	t[1].x = j;
	u.t[1].x = j;
	g = j
}

active proctype Q() {
	assert(g < 4)
}
