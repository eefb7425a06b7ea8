#ifndef FROM_INCLUDED
#define FROM_INCLUDED
byte included;
#endif
