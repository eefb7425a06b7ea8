init { byte x; x = `; // error: [scan.character]
	printf("open); // error: [scan.string.unterminated]
	skip; skip
}

