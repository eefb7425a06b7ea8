// Line breaks and braces that stand for semicolons.
byte x
byte y
init
{
	x = 1
	y = 2;
	if
	:: x == 1
	-> y = 3
	:: else
	fi
	{ x = 1 } y = (x +
		2)
	do :: x++ -> break od
	x = 1 ;; -> y = 2
	x++
	y--
	goto end_here
	x = 1 /* a comment
	over lines */ y = 2
end_here:
	skip;
};
