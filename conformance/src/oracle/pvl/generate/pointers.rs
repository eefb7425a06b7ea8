//! Variables and fields whose addresses are taken.

use super::writer::Writer;

/// Locals that are changed through pointers, in loops and by methods.
pub(super) fn locals(w: &mut Writer<'_>) {
    let step = w.number(1, 3);
    w.lines(
        "context p != null ** \\pointer(p, 1, write);
         ensures *p == \\old(*p) + n;
         void bump(pointer<int> p, int n) {
         *p = *p + n;
         }
         context p != null ** q != null ** \\pointer(p, 1, write);
         context p != q ==> \\pointer(q, 1, write);
         ensures p == q ==> *p == \\old(*p);
         ensures p != q ==> *p == \\old(*q) ** *q == \\old(*p);
         void exchange(pointer<int> p, pointer<int> q) {
         int t = *p;
         if (p != q) { *p = *q; *q = t; }
         }
         void main() {",
    );
    let (a, b) = (w.number(-1, 4), w.number(-1, 4));
    w.line(format!("int k = {a};"));
    w.line(format!("int l = {b};"));
    w.line("pointer<int> p = &k;");
    let other = if w.chance(1, 3) { "k" } else { "l" };
    w.line(format!("pointer<int> q = &{other};"));
    let pool: Vec<String> = ["k", "l", "*p", "*q"].map(String::from).to_vec();
    for _ in 0..2 + w.random.below(3) {
        match w.random.below(7) {
            0 => {
                let (target, value) = (w.one_of(&pool), w.int(2, &pool));
                w.line(format!("{target} = {value};"));
            }
            1 => {
                let target = w.pick(&["p", "q", "&k", "&l"]);
                let value = w.int(1, &pool);
                w.line(format!("bump({target}, {value});"));
            }
            2 => {
                let (x, y) = (w.pick(&["p", "q", "&k"]), w.pick(&["p", "q", "&l"]));
                w.line(format!("exchange({x}, {y});"));
            }
            3 => {
                let target = w.pick(&["p", "q"]);
                let other = w.pick(&["&k", "&l", "p", "q"]);
                w.line(format!("{target} = {other};"));
            }
            4 => {
                let times = w.number(1, 3);
                let i = w.fresh("i");
                let start = w.fresh("s");
                w.line(format!("int {start} = k;"));
                w.line(format!("loop_invariant \\pointer(&k, 1, write) ** k == {start} + {step} * {i};"));
                w.line(format!("for (int {i} = 0 .. {times}) {{"));
                let target = w.pick(&["k", "k", "*(&k)"]);
                w.line(format!("{target} = k + {step};"));
                w.line("}");
            }
            _ => {
                let seen = w.one_of(&pool);
                w.observe(&seen);
            }
        }
    }
    for observed in &pool {
        w.maybe_observe(observed);
    }
    w.observe("(p == q ? 1 : 0)");
    w.line("}");
}

/// Addresses of fields.
pub(super) fn fields(w: &mut Writer<'_>) {
    w.lines(
        "class Cell { int f; int g; }
         context p != null ** \\pointer(p, 1, write);
         ensures *p == n;
         void put(pointer<int> p, int n) { *p = n; }
         void main() {
         Cell c = new Cell();
         Cell d = new Cell();
         c.f = 1;
         c.g = 2;
         d.f = 3;
         d.g = 4;",
    );
    if w.chance(1, 3) {
        w.line("d = c;");
    }
    let (one, two) = (w.pick(&["&c.f", "&c.g", "&d.f"]), w.pick(&["&d.f", "&d.g", "&c.f"]));
    w.line(format!("pointer<int> p = {one};"));
    w.line(format!("pointer<int> q = {two};"));
    let pool: Vec<String> = ["c.f", "c.g", "d.f", "d.g"].map(String::from).to_vec();
    for _ in 0..2 + w.random.below(3) {
        let target = w.pick(&["*p", "*q", "c.f", "d.f", "d.g"]);
        let value = w.int(1, &pool);
        if w.chance(1, 3) {
            let pointer = w.pick(&["p", "q", "&d.f"]);
            w.line(format!("put({pointer}, {value});"));
        } else {
            w.line(format!("{target} = {value};"));
        }
    }
    for observed in ["c.f", "c.g", "d.f", "*p", "*q"] {
        w.maybe_observe(observed);
    }
    w.line("}");
}
