// Full/empty/nfull/nempty/len.
// states: plain 11 default 11
// expect: assertions holds
// expect: end states holds

chan q=[2] of {byte}; init { assert(len(q)==0); if :: empty(q) -> skip fi; q!1; if :: nfull(q) && nempty(q) -> skip fi; q!2; if :: full(q) -> skip fi }
