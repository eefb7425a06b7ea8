byte x;
proctype P() { there: skip }
init {
	atomic { first: x = 1 }; // error: [label.misplaced]
	d_step { x = 1; goto out }; // error: [d_step.jump]
	goto inside; // error: [d_step.jump]
	d_step { x = 1; inside: x = 2 };
	do :: d_step { skip; break } od; // error: [d_step.jump]
	d_step { P@there; skip }; // error: [d_step.remote]
	d_step { skip; { skip } unless { skip } }; // warning: [d_step.unless]
	bad: x = 1 unless x == 2; // error: [label.misplaced]
	x = 1 unless esc: x = 2; // error: [label.misplaced]
out:	skip
}
