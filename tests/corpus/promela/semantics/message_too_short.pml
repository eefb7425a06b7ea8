// A send without a value for every field is an error where it is executed.
// expect: assertions violated
// expect: end states holds

chan q = [2] of { byte, byte };

init {
	q!1
}
