// V6 block scope: same name in two sibling blocks (shadowing an outer local is rejected: redeclaration).
// states: plain 7 default 7
// expect: assertions holds
// expect: end states holds

byte r; init { byte x=1; { byte y=2; r=y }; { byte y=3; r=r+y }; assert(r==5 && x==1) }
