// Structures that are declared at the start of an option, in a loop and in an atomic sequence.
// expect: assertions holds
// expect: end states holds
// states: plain 138 default 70

typedef T { byte x; byte y };
byte g;

active proctype P() {
	byte j;
	if
	:: T t; j = 2; t.x = j
	:: j = 3
	fi;
	do
	:: j < 5 -> T u; u.x = j; j++
	:: else -> break
	od;
	atomic { g = 2; T v; j = 3; v.x = j };
	g = j
}

active proctype Q() {
	g = 5;
	assert(g < 6)
}
