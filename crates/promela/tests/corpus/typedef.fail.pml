// Structures are used by their fields.
typedef Pair { byte left; byte right };
typedef Recursive { byte x; Recursive next }; // error: [name.type.unknown]
typedef Doubled { byte x; byte x }; // error: [name.redeclared]
typedef Rows { Pair row[2] };
typedef Deep { byte a[2] };
Pair one, two = 3; // warning: [type.initial.ignored]
Rows rows;
byte plain;
chan q = [1] of { Rows }; // error: [type.structure.array]
proctype Takes(Deep d) { skip } // error: [process.parameter.array]
init {
	one = two; // error: [type.structure.incomplete] error: [type.structure.incomplete]
	one.middle = 1; // error: [type.field]
	plain.left = 1; // error: [type.field]
	plain = one + 1 // error: [type.structure.incomplete]
}
