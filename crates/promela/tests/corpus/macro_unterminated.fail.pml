#define F(x) x
init { F(1; skip } // error: [preprocess.macro.unterminated]
