//! Short programs about one rule each, that make one claim which is nearly true.
//!
//! The other shapes say much, all of it true, and then one thing is changed; a verifier that gets one rule wrong stumbles over
//! the rest. Here nothing is said but the claim, and its number is a guess: what one would believe if the rule were a
//! little different.

use super::writer::Writer;

/// Slots to be filled one after the other, each by one of its texts. `#` is a small number, `?` a comparison, `$` a
/// share.
type Slots = &'static [&'static [&'static str]];

fn write(w: &mut Writer<'_>, slots: Slots) {
    for slot in slots {
        let mut text = w.pick(slot);
        while text.contains('#') {
            let number = w.number(0, 4).to_string();
            text = text.replacen('#', &number, 1);
        }
        while text.contains('?') {
            let comparison = w.pick(&["==", "==", "<=", ">=", "<", ">", "!="]);
            text = text.replacen('?', &comparison, 1);
        }
        while text.contains('$') {
            let share = w.pick(&["write", "1\\2", "1\\3", "1\\4"]);
            text = text.replacen('$', &share, 1);
        }
        w.lines(&text);
    }
}

/// One of several probes.
fn one(w: &mut Writer<'_>, probes: &[Slots]) {
    let at = w.random.below(probes.len());
    if let Some(slots) = probes.get(at) {
        write(w, slots);
    }
}

/// Numbers, truth values, sequences: what operators mean.
pub(super) fn operators(w: &mut Writer<'_>) {
    const PROBES: &[Slots] = &[
        &[
            &["void main() {\nint x = #;\nint y = #;"],
            &[
                "x = x % 2;",
                "x = 7 % (y + 2);",
                "x = (x + 3) / 2;",
                "x = x - y;",
                "x = (x + y) % 3;",
                "x = -x / 2;",
            ],
            &["", "", "y = x * 2;", "y = y % 2;"],
            &["assert x ? #;\n}", "assert x == y + #;\n}", "assert x == y;\n}", "assert x == -#;\n}"],
        ],
        &[
            &["void main() {\nint x = #;\nint y = #;"],
            &["x++;", "x--;", "x++;\nx++;", "y++;\nx--;", "x += 2;", "x++;\ny = x;"],
            &["assert x == #;\n}", "assert x == #;\n}", "assert x == y;\n}", "assert x == y + 1;\n}"],
        ],
        &[
            &[
                "requires x > 0 || y > 0;",
                "requires x > # || x == 0;",
                "requires x > 0 && y > 0;",
                "requires x ? # ==> y ? #;",
                "requires !(x > 0 && y > 0);",
            ],
            &["void m(int x, int y) {"],
            &[
                "",
                "if (x == # || y == #) {\nassert x ? #;\n}",
                "boolean c = x > 0 || y > 1;\nassert c ==> x > 0;",
            ],
            &[
                "assert x > 0;\n}",
                "assert y > 0;\n}",
                "assert x ? #;\n}",
                "assert x > 0 && y > 0;\n}",
                "assert x + y > #;\n}",
            ],
        ],
        &[
            &["void main() {\nboolean p = true;\nboolean q = false;"],
            &[
                "boolean r = p || q;",
                "boolean r = p && q;",
                "boolean r = q || !p;",
                "boolean r = p ==> q;",
                "boolean r = (p || q) && q;",
            ],
            &["assert r;\n}", "assert !r;\n}", "if (r) { assert false; }\n}", "if (!r) { assert false; }\n}"],
        ],
        &[
            &["void main() {\nseq<int> xs = seq<int>{1, 2};"],
            &[
                "xs = 3 :: xs;",
                "xs = xs ++ 3;",
                "xs = xs + [3];",
                "xs = xs[1 ..];",
                "xs = xs[0 -> 3];",
                "xs = xs.tail;",
                "xs = xs[.. 1];",
            ],
            &[
                "assert xs[0] == #;\n}",
                "assert xs[|xs| - 1] == #;\n}",
                "assert |xs| == #;\n}",
                "assert xs == [1, 2, 3];\n}",
            ],
        ],
        &[
            &["void main() {\nint x = #;\nint y = #;"],
            &[
                "if (x > #) {\ny = 1;\n} else {\ny = 2;\n}",
                "if (x == #) {\nx = 1;\n} else {\nx = x + 1;\n}",
                "if (*) {\ny = 1;\n} else {\ny = 2;\n}",
                "if (x > y) {\ny = x;\n} else {\nx = y;\n}",
                "if (x > 1) { y = 0; }\nelse if (x > 0) { y = 1; }\nelse { y = 2; }",
            ],
            &["assert y == #;\n}", "assert x == #;\n}", "assert x == y;\n}", "assert y ? #;\n}"],
        ],
        &[
            &["void m(int n) {", "requires n >= 0;\nvoid m(int n) {", "requires n > 0;\nvoid m(int n) {"],
            &["seq<int> xs = seq<int>{0, 1, 2};", "int k = n + 1;\nseq<int> xs = [n, k];"],
            &[
                "assert (\\exists int i = 0 .. n; i == n);\n}",
                "assert (\\exists int i = 0 .. n; i ? #);\n}",
                "assert (\\forall int i = 0 .. n; i ? #);\n}",
                "assert (\\exists int i = 0 .. |xs|; xs[i] == #);\n}",
                "assert (\\exists int i = 0 .. #; i == #);\n}",
                "assert (\\forall int i = 0 .. |xs|; xs[i] ? #);\n}",
                "assert (\\sum int i = 0 .. 3; i) == #;\n}",
                "assert n in {0 .. n};\n}",
            ],
        ],
        &[
            &[
                "requires (\\forall int i = 0 .. n; i < n);",
                "requires (\\forall int i = 0 .. n; i != #);",
                "requires (\\forall int i = 0 .. 3; i != n);",
                "requires (\\forall int i = 0 .. n; i <= 2);",
            ],
            &[
                "void m(int n) {\nassert n ? #;\n}",
                "void m(int n) {\nassert false;\n}",
                "void m(int n) {\nassert n <= #;\n}",
            ],
        ],
    ];
    one(w, PROBES);
}

/// Loops and what their invariants say.
pub(super) fn loops(w: &mut Writer<'_>) {
    const PROBES: &[Slots] = &[
        &[
            &["void main() {\nint r = 0;"],
            &[
                "loop_invariant 0 <= i;",
                "loop_invariant i ? #;",
                "loop_invariant i < 3;",
                "loop_invariant 0 <= i && i <= 3;",
            ],
            &[
                "",
                "loop_invariant r == i;",
                "loop_invariant r ? #;",
                "loop_invariant r <= i;",
                "loop_invariant r == 0;",
            ],
            &[
                "for (int i = 0; i < 3; i++) {",
                "for (int i = 0 .. 3) {",
                "for (int i = 0; i < 3; i = i + 1) {",
                "for (int i = 3; i > 0; i--) {",
            ],
            &["r = r + 1;\n}", "r = i;\n}", "}"],
            &["assert r == #;\n}", "assert r ? #;\n}", "}"],
        ],
        &[
            // A bound that changes while the loop runs.
            &["void main() {\nint k = 3;\nint r = 0;"],
            &[
                "loop_invariant 0 <= i;",
                "loop_invariant r == i;",
                "loop_invariant 0 <= i && r == i;",
                "loop_invariant 0 <= i && i <= 3 && r == i;",
            ],
            &[
                "loop_invariant (r == 0 && k == 3) || (r == 1 && k == 1);",
                "loop_invariant r == 0 ==> k == 3;\nloop_invariant r > 0 ==> k == 1 && r == 1;",
                "loop_invariant r <= #;",
                "loop_invariant k ? #;",
                "loop_invariant k == 3 - r;",
            ],
            &["for (int i = 0 .. k) {", "for (int i = 0 .. k) {", "for (int i = 0; i < k; i++) {"],
            &["k = 1;\nr = r + 1;\n}", "k = k - 1;\nr = r + 1;\n}", "r = r + 1;\n}", "k = 1;\n}"],
            &["assert r == #;\n}", "assert r ? #;\n}", "assert r == k;\n}"],
        ],
        &[
            &["void main() {\nint i = 0;\nint r = #;"],
            &["loop_invariant i ? #;", "loop_invariant 0 <= i && i <= 3;", "loop_invariant r ? #;"],
            &["", "loop_invariant r ? #;"],
            &[
                "while (i < 3) {\ni = i + 1;\n}",
                "while (i < 3) {\ni++;\nr = r + 1;\n}",
                "while (i <= 2) {\ni = i + 1;\nif (i == 2) { r = 5; }\n}",
            ],
            &["assert i == #;\n}", "assert r == #;\n}", "assert i ? #;\n}"],
        ],
        &[
            &["void main() {\nint[] a = new int[3];\nint k = #;"],
            &["for (int i = 0 .. 3)", "par t (int i = 0 .. 3)", "par t (int i = 0 .. 2)"],
            &[
                "context Perm(a[i], write);\nensures a[i] ? #;",
                "context Perm(a[i], write);\nensures a[i] == i;",
                "context Perm(a[i], write);",
            ],
            &["{\na[i] = i;\n}", "{\na[i] = k;\n}", "{\nif (i > 0) { a[i] = 1; }\n}"],
            &[
                "assert a[#] == #;\n}",
                "assert a[2] ? #;\n}",
                "assert a[2] == 2;\n}",
                "assert a[1] == 1;\n}",
                "assert a[0] == #;\n}",
            ],
        ],
    ];
    one(w, PROBES);
}

/// Contracts: what is asked, promised, and was true before; the order of effects.
pub(super) fn contracts(w: &mut Writer<'_>) {
    const CELL: &[&str] = &["class Cell { int x; int y; }"];
    const PROBES: &[Slots] = &[
        &[
            &["requires n ? #;", "requires n > 0;", "requires n != #;"],
            &[
                "int f(int n) { return n; }",
                "ensures \\result == n;\nint f(int n) { return n; }",
                "ensures \\result ? #;\nint f(int n) { return n; }",
            ],
            &[
                "void main() {\nint r = f(#);",
                "void main() {\nint r = f(0);",
                "void main() {\nint k = #;\nint r = f(k - 1);",
            ],
            &["}", "assert r == #;\n}"],
        ],
        &[
            CELL,
            &["context Perm(c.x, write);", "context Perm(c.x, write) ** Perm(c.y, write);"],
            &[
                "ensures c.x == \\old(c.x);",
                "ensures c.x == \\old(c.x) + #;",
                "ensures c.x > \\old(c.x);",
                "ensures \\old(c.x) == #;",
                "ensures c.x == #;",
                "",
            ],
            &[
                "void step(Cell c) { c.x = c.x + 1; }",
                "void step(Cell c) { c.x = #; }",
                "void step(Cell c) { int t = c.x; c.x = 1; c.x = t; }",
            ],
            &["void main() {\nCell c = new Cell();\nc.x = 1;\nc.y = #;\nstep(c);"],
            &[
                "assert c.x == #;\n}",
                "assert c.x ? #;\n}",
                "assert c.y == #;\n}",
                "assert c.x == \\old[start](c.x);\n}",
            ],
        ],
        &[
            CELL,
            &["void main() {\nCell c = new Cell();\nc.x = #;\nlabel l;"],
            &["c.x = c.x + 1;", "c.x = #;", "c.y = 0;\nc.x = 1 - c.x;"],
            &[
                "assert c.x == \\old[l](c.x);\n}",
                "assert c.x ? \\old[l](c.x);\n}",
                "assert \\old[l](c.x) == #;\n}",
                "assert c.x == \\old[l](c.x + #);\n}",
            ],
        ],
        &[
            // The place of an assignment is found before its value.
            CELL,
            &[
                "context Perm(c.x, write);\nensures c.x == \\old(c.x) + 1;\nensures \\result == 7;\nint next(Cell c) { c.x = c.x + 1; return 7; }",
            ],
            &["void main() {\nint[] a = new int[3];\nCell c = new Cell();\nc.x = 0;\nint k = 0;"],
            &[
                "a[c.x] = next(c);",
                "a[k] = (with { k = 1; } 7);",
                "a[k] = (7 then { k = 1; });",
                "c.y = next(c);",
                "a[(with { k = 2; } k)] = (with { k = 1; } 7);",
            ],
            &[
                "assert a[0] == #;\n}",
                "assert a[1] == 7;\n}",
                "assert a[0] == 7;\n}",
                "assert c.x == #;\n}",
                "assert a[2] ? #;\n}",
                "assert k == #;\n}",
            ],
        ],
        &[
            CELL,
            &[
                "context Perm(c.x, $);\nensures c.x == \\old(c.x);\nvoid look(Cell c) { }",
                "requires Perm(c.x, $);\nvoid look(Cell c) { }",
                "requires c.x > 0 ** Perm(c.x, $);\nensures Perm(c.x, $);\nvoid look(Cell c) { }",
            ],
            &["void main() {\nCell c = new Cell();\nc.x = #;\nlook(c);"],
            &["assert c.x == #;\n}", "c.x = 1;\n}", "look(c);\n}", "assert c.x ? #;\n}"],
        ],
        &[
            CELL,
            &[
                "resource cell(Cell c) = Perm(c.x, write) ** c.x >= 0;",
                "resource cell(Cell c) = Perm(c.x, write) ** c.x > 0;",
            ],
            &["void main() {\nCell c = new Cell();\nc.x = #;\nfold cell(c);"],
            &["unfold cell(c);\nc.x = c.x - 1;\nfold cell(c);", "unfold cell(c);\nfold [1\\2]cell(c);", ""],
            &[
                "assert (unfolding cell(c) in c.x) ? #;\n}",
                "assert (unfolding [1\\2]cell(c) in c.x) == #;\n}",
                "unfold cell(c);\nassert c.x ? #;\n}",
            ],
        ],
    ];
    one(w, PROBES);
}

/// Locks and threads: what must be there before each step, and nothing else.
pub(super) fn steps(w: &mut Writer<'_>) {
    const PROBES: &[Slots] = &[
        &[
            &[
                "lock_invariant true;",
                "",
                "lock_invariant Value(f) ** f ? #;",
                "lock_invariant Perm(x, write);",
                "lock_invariant Perm(x, write) ** x >= 0;",
            ],
            &[
                "class Cell { int x; final int f; ensures Perm(x, write) ** x == 0 ** f == 1; constructor() { x = 0; f = 1; } }",
            ],
            &["void main() {\nCell c = new Cell();"],
            &["commit c;", "commit c;", "commit c;", ""],
            &["lock c;", "lock c;", "lock c;", ""],
            &["", "", "unlock c;", "wait c;", "c.x = #;", "notify c;", "lock c;"],
            &["unlock c;", "unlock c;", "unlock c;", ""],
            &["}", "}", "lock c;\nassert c.x ? #;\nunlock c;\n}"],
        ],
        &[
            // `wait` gives away what the lock protects.
            &[
                "lock_invariant Perm(x, write) ** x >= 0;",
                "lock_invariant Perm(x, write) ** x ? #;",
                "lock_invariant Perm(x, write);",
            ],
            &["class Cell { int x; ensures Perm(x, write) ** x == 1; constructor() { x = 1; } }"],
            &[
                "class Worker { final Cell c; requires d != null ** committed(d); ensures c == d ** idle(this); constructor(Cell d) { c = d; } requires c != null ** committed(c); run { lock c; c.x = #; notify c; unlock c; } }",
            ],
            &["void main() {\nCell c = new Cell();\ncommit c;\nWorker k = new Worker(c);"],
            &["lock c;\nfork k;", "fork k;\nlock c;"],
            &[
                "c.x = #;\nwait c;",
                "c.x = -1;\nwait c;\nc.x = 1;",
                "int t = c.x;\nwait c;\nassert c.x == t;\nc.x = 1;",
                "c.x = -1;\nunlock c;\nlock c;\nc.x = 1;",
                "unlock c;\nlock c;",
            ],
            &["assert c.x ? #;", "assert c.x == 1;", "", ""],
            &["unlock c;\n}"],
        ],
        &[
            &[
                "class Worker { int x; ensures Perm(x, write) ** idle(this); constructor() { x = 0; } run { } }",
                "class Worker { int x; ensures Perm(x, write) ** idle(this) ** x == 0; constructor() { x = 0; } context Perm(x, write); ensures x == 1; run { x = 1; } }",
            ],
            &["void main() {\nWorker k = new Worker();"],
            &["fork k;", "fork k;", "fork k;", ""],
            &["", "", "fork k;", "k.x = 5;", "join k;\nfork k;"],
            &["join k;", "join k;", "join k;\njoin k;", ""],
            &["}", "assert k.x == #;\n}", "assert k.x ? #;\n}"],
        ],
        &[
            // What every thread needs, all of them need together.
            &["class Cell { int x; }\nvoid main() {\nCell c = new Cell();\nc.x = #;\nint[] a = new int[3];"],
            &["par t (int i = 0 .. 2)", "par t (int i = 0 .. 3)", "par t (int i = 0 .. 1)"],
            &[
                "context Perm(c.x, $);",
                "context Perm(c.x, $) ** Perm(a[i], write);",
                "requires Perm(c.x, $);",
                "context Perm(a[i], $);",
            ],
            &["", "requires c.x ? #;", "ensures c.x == #;"],
            &["{\nint r = 0;\n}", "{\nint r = c.x;\n}", "{\nc.x = 1;\n}", "{\na[i] = 1;\n}"],
            &["}", "assert c.x == #;\n}", "c.x = 2;\n}", "assert a[1] == #;\n}"],
        ],
        &[
            &["class Cell { int x; }\nvoid main() {\nCell c = new Cell();\nc.x = #;"],
            &[
                "invariant s(Perm(c.x, write) ** c.x ? #) {",
                "invariant s(Perm(c.x, write) ** c.x >= 0) {",
                "invariant s(Perm(c.x, write)) {",
            ],
            &[
                "par t (int i = 0 .. 2) {\natomic(s) { c.x = c.x + 1; }\n}\n}",
                "atomic(s) { c.x = #; }\n}",
                "par t (int i = 0 .. 2) {\natomic(s) { c.x = #; }\natomic(s) { assert c.x == #; }\n}\n}",
            ],
            &["assert c.x == #;\n}", "assert c.x ? #;\n}", "}"],
        ],
        &[
            &["void main() {\nint n = 2;\nint[] a = new int[2];\npar t (int i = 0 .. n)"],
            &[
                "context Perm(a[i], write);",
                "requires Perm(a[i], write);",
                "context Perm(a[i], write);\nensures a[i] == #;",
            ],
            &["{\na[i] = i;"],
            &[
                "barrier(t) { requires Perm(a[i], write); ensures Perm(a[1 - i], write); }",
                "barrier(t) { context Perm(a[i], write); ensures a[i] == #; }",
                "barrier(t) { requires Perm(a[i], $); ensures Perm(a[i], $); }",
                "if (i == #) { barrier(t) { } }",
                "barrier(t) { }",
            ],
            &["a[i] = 1;\n}", "a[1 - i] = 3;\n}", "assert a[i] == #;\n}", "}"],
            &["}", "assert a[0] == #;\n}"],
        ],
    ];
    one(w, PROBES);
}
