// Macros, conditions, included text.
#include "included.h"
#define N 3
#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define CAT(a, b) a ## b
#define STR(x) #x
#define SELF SELF
#define f(x) g(x)
#define g(x) (x + N)
#if defined(FROM_INCLUDED) && !defined NOWHERE && N * 2 == 6 && (1 ? 'a' == 97 : 0)
byte CAT(var, 1), SELF;
#elif 1
#error not reached
#else
garbage (((
#endif
#ifdef N
# ifndef NOWHERE
byte other;
# endif
#undef SELF
#endif
#line 100 "elsewhere"
# 200 "elsewhere"
#pragma whatever
init { var1 = MAX(included, f(2)); SELF = f \
(1); printf(STR(a b)) }
