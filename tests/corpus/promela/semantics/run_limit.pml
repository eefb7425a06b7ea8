// The 256th process is an error.
// states: plain 255 default 255
// expect: assertions violated

proctype c(){ false } init { do :: run c() od }
