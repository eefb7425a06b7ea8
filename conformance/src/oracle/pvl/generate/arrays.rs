//! Arrays: loops with invariants, sums, rows and columns.

use super::writer::Writer;

/// Methods that go over an array with an invariant, called on a small one.
pub(super) fn loops(w: &mut Writer<'_>) {
    let kind = w.random.below(5);
    let step = w.number(1, 3);
    let start = w.number(0, 2);
    let value = w.pick(&["k", "2 * k", "k + START", "n - k", "STEP"]);
    let value = value.replace("START", &start.to_string()).replace("STEP", &step.to_string());
    let at = |index: &str| value.replace('k', index);
    w.line("context \\array(a, n) ** Perm(a[*], write);");
    match kind {
        0 => w.line(format!("ensures (\\forall int k = 0 .. n; a[k] == {value});")),
        1 => w.line(format!("ensures (\\forall int k = 0 .. n; a[k] == \\old(a[k]) + {step});")),
        2 => w.line("ensures (\\forall int k = 0 .. n; \\result >= a[k]);"),
        3 => w.line("ensures (\\forall int k = 0 .. n; a[k] == \\old(a[n - 1 - k]));"),
        _ => w.line("ensures \\result == (\\count int k = 0 .. n; a[k] > 0);"),
    }
    if kind == 2 {
        w.line("requires n > 0;");
        w.line("ensures (\\exists int k = 0 .. n; a[k] == \\result);");
    }
    if kind == 2 || kind == 4 {
        w.line("ensures (\\forall int k = 0 .. n; a[k] == \\old(a[k]));");
    }
    w.line("int work(int[] a, int n) {");
    w.line(if kind == 2 { "int r = a[0];" } else { "int r = 0;" });
    let ranged = kind != 3 && w.chance(1, 2);
    if !ranged {
        w.line("int i = 0;");
    }
    let limit = if kind == 3 { "2 * i <= n + 1" } else { "i <= n" };
    w.line("loop_invariant \\array(a, n) ** Perm(a[*], write);");
    if !ranged {
        w.line(format!("loop_invariant 0 <= i && {limit};"));
    }
    match kind {
        0 => w.line(format!("loop_invariant (\\forall int k = 0 .. i; a[k] == {value});")),
        1 => {
            w.line(format!("loop_invariant (\\forall int k = 0 .. i; a[k] == \\old(a[k]) + {step});"));
            w.line("loop_invariant (\\forall int k = i .. n; a[k] == \\old(a[k]));");
        }
        2 => {
            w.line("loop_invariant (\\forall int k = 0 .. i; r >= a[k]);");
            w.line("loop_invariant (\\exists int k = 0 .. n; a[k] == r);");
        }
        3 => {
            w.line("loop_invariant (\\forall int k = 0 .. i; a[k] == \\old(a[n - 1 - k]) && a[n - 1 - k] == \\old(a[k]));");
            w.line("loop_invariant (\\forall int k = i .. n - i; a[k] == \\old(a[k]));");
        }
        _ => w.line("loop_invariant r == (\\count int k = 0 .. i; a[k] > 0);"),
    }
    if kind == 2 || kind == 4 {
        w.line("loop_invariant (\\forall int k = 0 .. n; a[k] == \\old(a[k]));");
    }
    if !ranged && w.chance(1, 3) {
        w.line(if kind == 3 { "decreases n - 2 * i;" } else { "decreases n - i;" });
    }
    w.line(match (ranged, kind) {
        (true, _) => "for (int i = 0 .. n) {",
        (_, 3) => "while (2 * i < n - 1) {",
        _ => "while (i < n) {",
    });
    match kind {
        0 => {
            let value = at("i");
            w.line(format!("a[i] = {value};"));
        }
        1 => w.line(format!("a[i] = a[i] + {step};")),
        2 => w.line("if (a[i] > r) { r = a[i]; }"),
        3 => w.lines("int t = a[i];\na[i] = a[n - 1 - i];\na[n - 1 - i] = t;"),
        _ => w.line("if (a[i] > 0) { r = r + 1; }"),
    }
    if !ranged {
        w.line("i = i + 1;");
    }
    w.lines("}\nreturn r;\n}");
    let length = w.number(0, 4).max(i64::from(kind == 2));
    w.line("void main() {");
    w.line(format!("int[] a = new int[{length}];"));
    for index in 0..length {
        if w.chance(2, 3) {
            let value = w.number(-2, 4);
            w.line(format!("a[{index}] = {value};"));
        }
    }
    let aliased = w.chance(1, 4);
    if aliased {
        w.line("int[] b = a;");
    }
    w.line(format!("int r = work(a, {length});"));
    if kind == 4 || kind == 2 {
        w.observe("r");
    }
    for index in 0..length {
        let name = if aliased { "b" } else { "a" };
        w.maybe_observe(&format!("{name}[{index}]"));
    }
    w.line("}");
}

/// Sums over arrays and sequences.
pub(super) fn sums(w: &mut Writer<'_>) {
    let factor = w.number(1, 3);
    let term =
        w.pick(&["a[k]", "F * a[k]", "a[k] + k", "(a[k] > 1 ? 1 : 0)"]).replace('F', &factor.to_string());
    let part = w.pick(&["write", "1\\2", "read"]);
    w.line(format!("context \\array(a, n) ** (\\forall* int k = 0 .. n; Perm(a[k], {part}));"));
    w.line(format!("ensures \\result == (\\sum int k = 0 .. n; {term});"));
    let other = if w.chance(1, 4) { "j" } else { "k" };
    w.line("int total(int[] a, int n) {");
    w.line("int s = 0;");
    w.line("int i = 0;");
    w.line("loop_invariant 0 <= i && i <= n;");
    w.line(format!("loop_invariant \\array(a, n) ** (\\forall* int k = 0 .. n; Perm(a[k], {part}));"));
    w.line(format!("loop_invariant s == (\\sum int {other} = 0 .. i; {});", term.replace('k', other)));
    w.line("while (i < n) {");
    w.line(format!("s = s + {};", term.replace('k', "i")));
    w.line("i = i + 1;");
    w.lines("}\nreturn s;\n}");
    let length = w.number(0, 4);
    w.line("void main() {");
    w.line(format!("int[] a = new int[{length}];"));
    for index in 0..length {
        let value = w.number(-2, 4);
        w.line(format!("a[{index}] = {value};"));
    }
    w.line(format!("int r = total(a, {length});"));
    w.observe("r");
    if length > 0 && w.chance(1, 2) {
        w.line("a[0] = a[0] + 2;");
    }
    w.observe(&format!("(\\sum int k = 0 .. {length}; {term})"));
    if w.chance(1, 2) {
        let high = w.number(0, length);
        w.observe(&format!("(\\count int k = 0 .. {high}; a[k] > 1)"));
        w.observe(&format!("(\\sum int k; 0 <= k && k < {high} && a[k] > 0; a[k] * 2)"));
    }
    w.line("seq<int> xs = [1, 4, 2];");
    let low = w.number(0, 3);
    w.observe(&format!("(\\sum int k = {low} .. 3; xs[k] * xs[k])"));
    w.line("}");
}

/// Arrays of arrays.
pub(super) fn matrices(w: &mut Writer<'_>) {
    let (rows, columns) = (w.number(1, 3), w.number(1, 3));
    let value = w.pick(&["i * c + j", "i + j", "i - j"]);
    w.lines(&format!(
        "context \\matrix(m, r, c) ** (\\forall* int i = 0 .. r, int j = 0 .. c; Perm(m[i][j], write));
         requires 0 <= i && i < r;
         ensures (\\forall int j = 0 .. c; m[i][j] == {value});
         void row(int[][] m, int r, int c, int i) {{
         loop_invariant \\matrix(m, r, c) ** (\\forall* int k = 0 .. r, int l = 0 .. c; Perm(m[k][l], write));
         loop_invariant (\\forall int k = 0 .. j; m[i][k] == {});
         for (int j = 0 .. c) {{
         m[i][j] = {value};
         }}
         }}
         void main() {{
         int[][] m = new int[{rows}][{columns}];",
        value.replace('j', "k")
    ));
    let row = w.number(0, rows - 1);
    w.line(format!("row(m, {rows}, {columns}, {row});"));
    let column = w.number(0, columns - 1);
    w.observe(&format!("m[{row}][{column}]"));
    if w.chance(1, 3) {
        w.line(format!("m[{}] = m[{row}];", w_row(rows, row)));
        w.line(format!("m[{}][{column}] = 9;", w_row(rows, row)));
        w.observe(&format!("m[{row}][{column}]"));
    } else {
        w.line(format!("m[{row}][{column}] = m[{row}][{column}] + 1;"));
        w.observe(&format!("m[{row}][{column}]"));
    }
    w.line("}");
}

fn w_row(rows: i64, row: i64) -> i64 {
    (row + 1) % rows
}
