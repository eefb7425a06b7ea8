/* Producers and consumers at one buffer, with a semaphore for each side. */
#define P 2
#define C 2
#define SIZE 2

chan buffer = [SIZE] of { byte };
byte made, used;

active [P] proctype Producer() {
	byte item;
	do
	:: item = (item + 1) % 4;
		buffer!item;
		atomic { made = (made + 1) % 8 }
	od
}

active [C] proctype Consumer() {
	byte item, last;
	do
	:: buffer?item;
		last = (last + item) % 4;
		atomic { used = (used + 1) % 8 }
	od
}
