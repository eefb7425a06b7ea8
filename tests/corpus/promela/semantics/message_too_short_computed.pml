// Which channel it is, and so how many fields there are, is known only when the send is executed.
// expect: assertions violated
// expect: end states holds

chan one = [1] of { byte };
chan two = [1] of { byte, byte };

init {
	chan c = one;
	c!1;
	c = two;
	c!1
}
