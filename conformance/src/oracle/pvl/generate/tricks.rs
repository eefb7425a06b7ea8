//! Programs that try to get past side conditions: what an invariant, a barrier or a message speaks about changes
//! behind its back, through other names, pointers and the heap.

use super::writer::Writer;

/// Places of one number, some of which are the same.
fn places(w: &mut Writer<'_>) -> Vec<String> {
    w.line("Cell c = new Cell();");
    w.line("Cell d = new Cell();");
    w.lines("c.x = 0;\nc.y = 0;\nd.x = 0;\nd.y = 0;");
    if w.chance(1, 4) {
        w.line("d = c;");
    }
    w.line("int[] a = new int[2];");
    w.line("int[] b = new int[2];");
    if w.chance(1, 5) {
        w.line("b = a;");
    }
    w.line("int k = 0;");
    w.line("pointer<int> p = &k;");
    ["c.x", "c.y", "d.x", "a[0]", "a[1]", "b[0]", "*p", "k"].map(String::from).to_vec()
}

fn permission(place: &str, amount: &str) -> String {
    match place {
        "k" => format!("\\pointer(&k, 1, {amount})"),
        "*p" => format!("\\pointer(p, 1, {amount})"),
        _ => format!("Perm({place}, {amount})"),
    }
}

/// An invariant that may not hold what it speaks about.
pub(super) fn unframed(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }\npure int same(int n) = n;\nvoid main() {");
    let places = places(w);
    let (held, told, changed) = (w.one_of(&places), w.one_of(&places), w.one_of(&places));
    let told = if w.chance(1, 2) { held.clone() } else { told };
    let fact = match w.random.below(5) {
        0 => format!("{told} == 0"),
        1 => format!("{told} >= 0"),
        2 => format!("same({told}) == 0"),
        3 => format!("({held} == 0 ==> {told} == 0)"),
        _ => format!("a[{told} % 2] >= 0"),
    };
    let amount = w.pick(&["write", "1\\2", "1\\4"]);
    let resource = match w.random.below(4) {
        0 => fact,
        1 => format!("{} ** {fact}", permission("a[c.y]", &amount)),
        _ => format!("{} ** {fact}", permission(&held, &amount)),
    };
    w.line(format!("invariant s({resource}) {{"));
    let number = w.number(0, 2);
    for _ in 0..w.random.below(3) {
        let target = if w.chance(1, 2) { changed.clone() } else { w.one_of(&places) };
        w.line(format!("{target} = {number};"));
    }
    match w.random.below(4) {
        0 => {}
        1 => w.line("atomic(s) { }"),
        2 => {
            let target = w.one_of(&places);
            w.line(format!("atomic(s) {{ {target} = {number}; }}"));
        }
        _ => {
            w.line("par t (int i = 0 .. 2)");
            if w.chance(1, 2) {
                w.line("context Perm(b[i], write);");
            }
            w.line("{");
            let target = w.one_of(&places);
            let amount = w.number(0, 1);
            w.line(format!("atomic(s) {{ {target} = {target} + {amount}; }}"));
            w.line("}");
        }
    }
    w.line("}");
    for place in &places {
        if w.chance(1, 4) {
            w.observe(place);
        }
    }
    w.line("}");
}

/// Barriers in branches and loops whose conditions come from everywhere.
pub(super) fn divergence(w: &mut Writer<'_>) {
    w.lines(
        "class Cell { int x; final int f; ensures Perm(x, write) ** f == n; constructor(int n) { f = n; } }
         ensures \\result == n;
         int pass(int n) { return n; }
         pure int id(int n) = n;
         void main() {
         int n = 2;
         int k = 0;
         pointer<int> p = &k;
         int[] a = new int[2];
         Cell c = new Cell(0);
         c.x = 0;
         par team (int i = 0 .. n)
         context Perm(a[i], write);
         context Perm(c.x, 1\\8);
         context \\pointer(&k, 1, 1\\8);
         {",
    );
    let value = w.pick(&["i", "i", "0", "1 - i", "n", "c.x", "a[i]", "k", "id(i)", "pass(i)"]);
    match w.random.below(7) {
        0 => w.line(format!("int t = {value};")),
        1 => w.lines(&format!("int t = 0;\npointer<int> q = &t;\n*q = {value};")),
        2 => w.lines(&format!("int u = 0;\npointer<int> q = &u;\n*q = {value};\nint t = u;")),
        3 => w.lines(&format!("Cell e = new Cell({value});\nint t = e.f;")),
        4 => w.lines(&format!("int t = 0;\npointer<int> q = &t;\npointer<int> r = q;\n*r = {value};")),
        5 => w.lines(&format!("int t = 0;\nif ({value} == 0) {{ t = 1; }}")),
        _ => w.lines(&format!("int t = 0;\npointer<int> q = &t;\nif ({value} == 0) {{ *q = 1; }}")),
    }
    let reads = w.pick(&["t", "t", "t", "id(t)", "*(&t)", "t + n"]);
    match w.random.below(4) {
        0 => w.lines(&format!(
            "int j = 0;
             loop_invariant 0 <= j && \\pointer(&t, 1, write);
             while (j < {reads}) {{
             barrier(team) {{ }}
             j = j + 1;
             }}"
        )),
        1 => {
            w.line(format!("if ({reads} > 0) {{"));
            w.lines("barrier(team) { }\n} else {\nbarrier(team) { }\n}");
        }
        _ => {
            w.line(format!("if ({reads} > 0) {{"));
            w.lines("barrier(team) { }\n}");
        }
    }
    w.lines("}\n}");
}

/// Contracts of barriers that speak about what belongs to one thread.
pub(super) fn barrier_locals(w: &mut Writer<'_>) {
    w.lines(
        "class Cell { int x; }
         pure int id(int n) = n;
         void main() {
         int n = 2;
         int[] a = new int[2];
         par team (int i = 0 .. n)
         requires Perm(a[i], write);
         {
         a[i] = i;",
    );
    let value = w.pick(&["i", "1 - i", "0", "0", "a[i]"]);
    match w.random.below(4) {
        0 | 1 => w.line(format!("int t = {value};")),
        2 => w.lines(&format!("int t = 0;\npointer<int> q = &t;\n*q = {value};")),
        _ => w.lines(&format!("Cell e = new Cell();\ne.x = {value};\nint t = e.x;")),
    }
    let facts = [
        "t == i",
        "t == 0",
        "t >= 0",
        "id(t) == i",
        "t != 1 - i",
        "a[i] == t",
        "t == n - 1",
        "i < n",
        "n == 2",
        "id(i) >= 0",
    ];
    let (needed, promised) = (w.pick(&facts), w.pick(&facts));
    let index = w.pick(&["i", "i", "1 - i", "t", "1 - t", "id(t)"]);
    let amount = w.pick(&["write", "1\\2"]);
    w.line("barrier(team) {");
    w.line(format!("requires Perm(a[i], write) ** {needed};"));
    w.line(format!("ensures Perm(a[{index}], {amount}) ** {promised};"));
    w.line("}");
    if amount == "write" {
        w.line(format!("a[{index}] = 5;"));
    }
    if w.chance(1, 2) {
        let index = w.pick(&["t", "1 - t", "i", "1 - i"]);
        w.lines("t = 1 - t;\nbarrier(team) {");
        w.line(format!("ensures Perm(a[{index}], {amount});"));
        w.line("}");
        if amount == "write" {
            w.line(format!("a[{index}] = 6;"));
        }
    }
    w.line(format!("assert {promised};"));
    w.lines("}\n}");
}
