// Assignment truncation: byte 257->1, bit 2->0, short 40000->-25536, unsigned:3 9->1.
// states: plain 12 default 12
// expect: assertions holds
// expect: end states holds

byte b; bit t; short s; unsigned u:3; int i; init { b=257; t=2; s=40000; u=9; i=2147483647; i=i+1; assert(b==1 && t==0 && s==-25536 && u==1 && i<0); b=0; b=b-1; assert(b==255) }
