#include "missing.h" // error: [preprocess.include.missing]
init { unknown_text ( }
