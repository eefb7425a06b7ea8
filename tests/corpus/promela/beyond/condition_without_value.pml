// A condition of a formula may have no value in some states. The formula is then decided on the runs that do not
// come there, and in states where the value does not matter.
// expect: assertions holds
// expect: end states holds
// expect: elsewhere holds
// expect: everywhere unknown
// expect: only_later holds
// expect: violated_before violated
// expect: violated_besides violated
// expect: never_reached holds

byte a[2];
byte i;
bool done, wrong;

active proctype P() {
	if
	:: i = 1
	:: i = 5; i = 0
	:: wrong = true; i = 1
	fi;
	done = true
}

ltl elsewhere { <> done }
ltl everywhere { [] (a[i] == 0) }
ltl only_later { [] (done -> a[i] == 0) }
ltl violated_before { [] (!wrong && a[i] == 0) }
ltl violated_besides { <> (a[i] == 3) }
ltl never_reached { [] (wrong -> (a[i] == 0)) }
