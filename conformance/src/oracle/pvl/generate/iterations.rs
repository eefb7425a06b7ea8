//! Loops with a contract for each iteration.

use super::writer::Writer;

/// Bounds that are constant, or not.
pub(super) fn bounds(w: &mut Writer<'_>) {
    w.lines("class Cell { int n; int m; }\nvoid main() {");
    let length = w.number(1, 4);
    w.line(format!("int[] a = new int[{length} + 2];"));
    w.line("Cell c = new Cell();");
    w.line(format!("c.n = {length};"));
    w.line("c.m = 0;");
    w.line(format!("int k = {length};"));
    let addressed = w.chance(1, 2);
    if addressed {
        w.line("pointer<int> p = &k;");
    }
    let ranged = w.chance(1, 3);
    let bound = if addressed {
        w.pick(&["k", "*p", "c.n", "LENGTH"])
    } else {
        w.pick(&["k", "c.n", "c.n", "a.length - 2", "LENGTH"])
    };
    let bound = bound.replace("LENGTH", &length.to_string());
    let value = w.pick(&["i", "2 * i", "i + 1"]);
    w.line("context Perm(a[i], write);");
    let touched = w.random.below(4);
    let last = format!("i == {}", w.number(0, length - 1));
    if touched == 0 {
        w.line(format!("context {last} ==> Perm(c.n, write);"));
    } else if touched == 1 && addressed {
        w.line(format!("context {last} ==> \\pointer(&k, 1, write);"));
    } else if touched == 2 {
        w.line("context Value(c.m);");
    }
    w.line(format!("ensures a[i] == {value};"));
    w.line(if ranged {
        format!("for (int i = 0 .. {bound}) {{")
    } else {
        format!("for (int i = 0; i < {bound}; i++) {{")
    });
    w.line(format!("a[i] = {value};"));
    let change = w.number(0, 1) * 2 - 1;
    match touched {
        0 => w.line(format!("if ({last}) {{ c.n = c.n + {change}; }}")),
        1 if addressed => {
            let target = w.pick(&["k", "*(&k)"]);
            w.line(format!("if ({last}) {{ {target} = k + {change}; }}"));
        }
        2 => w.line("a[i] = a[i] + c.m;"),
        _ => {}
    }
    w.line("}");
    for index in 0..length {
        w.maybe_observe(&format!("a[{index}]"));
    }
    w.observe(&format!("a[{length}]"));
    w.observe("c.n");
    w.observe("k");
    w.line("}");
}

/// Messages from one iteration to a later one.
pub(super) fn messages(w: &mut Writer<'_>) {
    let distance = w.number(1, 2);
    let length = w.number(2, 4);
    w.lines(&format!(
        "void main() {{
         int n = {length};
         int[] a = new int[{length}];
         int[] b = new int[{length}];
         requires Perm(a[i], write) ** Perm(b[i], write);
         ensures Perm(b[i], write);
         ensures i >= {distance} ==> b[i] == i - {distance} + 1;"
    ));
    if w.chance(1, 2) {
        w.line(format!("ensures i >= {distance} ==> Perm(a[i - {distance}], 1\\2);"));
        w.line("ensures Perm(a[i], 1\\2);");
    }
    w.line("for (int i = 0; i < n; i++) {");
    w.line("a[i] = i + 1;");
    w.line(format!("if (i >= {distance}) {{"));
    w.line("recv handed;");
    w.line(format!("b[i] = a[i - {distance}];"));
    w.line("}");
    w.line(format!("if (i < n - {distance}) {{"));
    w.line(format!("send handed, {distance}: Perm(a[i], 1\\2) ** a[i] == i + 1;"));
    w.lines("}\n}");
    for index in distance..length {
        w.maybe_observe(&format!("b[{index}]"));
    }
    w.line("}");
}
