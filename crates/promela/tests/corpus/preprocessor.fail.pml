#include missing // error: [preprocess.directive.malformed]
#error stop here // error: [preprocess.error]
#warning look // warning: [preprocess.warning]
#unknown // error: [preprocess.directive.unknown]
#define // error: [preprocess.directive.malformed]
#define A 1
#define A 2 // warning: [preprocess.macro.redefined]
#define F(x, y) x
#define G(x,) x // error: [preprocess.directive.malformed]
#define P(x, y) x ## y
#undef // error: [preprocess.directive.malformed]
#ifdef // error: [preprocess.directive.malformed]
#endif
#if 1 + // error: [preprocess.condition]
#endif
#if 1 / 0 // error: [preprocess.condition]
#endif
#else // error: [preprocess.if.unbalanced]
#endif // error: [preprocess.if.unbalanced]
#elif 1 // error: [preprocess.if.unbalanced]
init { byte x; x = F(1); skip } // error: [preprocess.macro.arguments]
#if 1 // error: [preprocess.if.unterminated]
proctype Q() { P(+, /); skip } // error: [preprocess.paste] error: [parse.unexpected]
