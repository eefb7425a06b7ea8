//! What else there is: states, frames, jumps, wands, fractions of predicates, clauses for everything inside, vectors.

use super::writer::Writer;

/// Labels, frames, extracted loops and jumps.
pub(super) fn states(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }\nvoid main() {\nCell c = new Cell();");
    let start = w.number(-1, 3);
    w.line(format!("c.x = {start};"));
    w.lines("c.y = 0;\nint r = 0;\nlabel first;");
    let pool: Vec<String> = ["c.x", "c.y", "r"].map(String::from).to_vec();
    let mut labels = vec!["first".to_string()];
    for _ in 0..2 + w.random.below(4) {
        let value = w.int(1, &pool);
        match w.random.below(7) {
            0 => w.line(format!("c.x = {value};")),
            1 => {
                let label = w.fresh("l");
                w.line(format!("label {label};"));
                labels.push(label);
            }
            2 => {
                let number = w.number(0, 3);
                w.lines(&format!(
                    "frame requires Perm(c.x, write); ensures Perm(c.x, write) ** c.x == {number};
                     {{
                     c.x = {number};
                     }}"
                ));
            }
            3 => {
                let i = w.fresh("i");
                let times = w.number(1, 3);
                let extract = w.pick(&["extract ", ""]);
                w.line(format!("int {i} = 0;"));
                w.line(format!("{extract}loop_invariant 0 <= {i} && {i} <= {times};"));
                w.line(format!("while ({i} < {times}) {{"));
                w.line(format!("{i} = {i} + 1;"));
                w.line("}");
                w.observe(&i);
            }
            4 => {
                let skip = w.fresh("skip");
                let condition = w.condition(&pool);
                w.line(format!("if ({condition}) {{ goto {skip}; }}"));
                w.line(format!("c.y = c.y + {value};"));
                w.line(format!("label {skip};"));
            }
            _ => {
                let label = w.one_of(&labels);
                let seen = w.pick(&["c.x", "c.y", "c.x + c.y"]);
                w.observe(&format!("\\old[{label}]({seen})"));
            }
        }
    }
    for seen in &pool {
        w.maybe_observe(seen);
    }
    w.line("}");
}

/// Wands are made and used.
pub(super) fn wands(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }\nresource both(Cell c) = Perm(c.x, write) ** Perm(c.y, write) ** c.y == c.x;");
    w.lines("void main() {\nCell c = new Cell();\nCell d = new Cell();");
    let number = w.number(0, 3);
    w.line(format!("c.x = {number};\nc.y = {number};").replace('\n', " "));
    w.line("d.x = 5; d.y = 6;");
    if w.chance(1, 4) {
        w.line("d = c;");
    }
    let left =
        w.pick(&["Perm(c.x, write)", "Perm(c.x, write) ** c.x == N", "Perm(d.x, write)", "Perm(c.x, 1\\2)"]);
    let left = left.replace('N', &number.to_string());
    let right = w.pick(&["Perm(c.x, write) ** Perm(c.y, write)", "both(c)", "Perm(c.y, write) ** c.y == N"]);
    let right = right.replace('N', &number.to_string());
    let proof = if right == "both(c)" { "{ fold both(c); }" } else { "{ }" };
    w.line(format!("package {left} -* {right} {proof}"));
    if w.chance(1, 3) {
        let line = w.pick(&["c.x = c.x + 1;", "d.x = 1;", "c.y = 3;"]);
        w.line(line);
    }
    w.line(format!("apply {left} -* {right};"));
    if right == "both(c)" {
        w.line("unfold both(c);");
    }
    for seen in ["c.x", "c.y", "d.x"] {
        w.maybe_observe(seen);
    }
    w.line("}");
}

/// Parts of predicates, and predicates with arguments.
pub(super) fn fractions(w: &mut Writer<'_>) {
    w.lines(
        "class Cell { int x; int y; }
         resource is(Cell c, int v) = Perm(c.x, write) ** c.x == v;
         inline resource owns(Cell c) = Perm(c.y, write);
         requires [1\\2]is(c, v);
         ensures [1\\2]is(c, v) ** \\result == v;
         int look(Cell c, int v) {
         unfold [1\\2]is(c, v);
         int r = c.x;
         fold [1\\2]is(c, v);
         return r;
         }
         context owns(c);
         ensures c.y == n;
         void put(Cell c, int n) { c.y = n; }
         void main() {
         Cell c = new Cell();",
    );
    let number = w.number(0, 4);
    w.line(format!("c.x = {number};\nc.y = 1;").replace('\n', " "));
    w.line(format!("fold is(c, {number});"));
    for _ in 0..1 + w.random.below(3) {
        match w.random.below(4) {
            0 => {
                let r = w.fresh("r");
                w.line(format!("int {r} = look(c, {number});"));
                w.observe(&r);
            }
            1 => w.line(format!("put(c, {number});")),
            2 => w.line(format!("assert (unfolding is(c, {number}) in c.x) == {number};")),
            _ => w.lines(&format!("unfold is(c, {number});\nfold is(c, {number});")),
        }
    }
    let part = w.pick(&["", "[1\\2]"]);
    w.line(format!("unfold {part}is(c, {number});"));
    w.observe("c.x");
    if part.is_empty() {
        w.line("c.x = c.x + 1;");
        w.line(format!("fold is(c, {number} + 1);"));
    }
    w.observe("c.y");
    w.line("}");
}

/// Clauses that hold everywhere inside of a method.
pub(super) fn everywhere(w: &mut Writer<'_>) {
    let length = w.number(1, 3);
    let fact = w.pick(&["n > 0", "a.length == n", "n >= LENGTH"]).replace("LENGTH", &length.to_string());
    let value = w.pick(&["i", "i + n", "1"]);
    w.line(format!("context_everywhere \\array(a, n) && {fact};"));
    w.lines(&format!(
        "context Perm(a[*], write);
         ensures (\\forall int i = 0 .. n; a[i] == {value});
         void fill(int[] a, int n) {{"
    ));
    if w.chance(1, 2) {
        w.lines(&format!(
            "par (int i = 0 .. n)
             context Perm(a[i], write);
             ensures a[i] == {value};
             {{
             a[i] = {value};
             }}"
        ));
    } else {
        w.lines(&format!(
            "loop_invariant Perm(a[*], write);
             loop_invariant (\\forall int i = 0 .. k; a[i] == {value});
             for (int k = 0 .. n) {{
             a[k] = {};
             }}",
            value.replace('i', "k")
        ));
    }
    w.line("}");
    w.line("void main() {");
    w.line(format!("int[] a = new int[{length}];"));
    w.line(format!("fill(a, {length});"));
    for index in 0..length {
        w.maybe_observe(&format!("a[{index}]"));
    }
    w.line(format!("vec (int i = 0 .. {length}) {{"));
    let step = w.pick(&["a[i] + 1", "a[0]", "i", "a[(i + 1) % a.length]"]);
    w.line(format!("a[i] = {step};"));
    w.line("}");
    for index in 0..length {
        w.maybe_observe(&format!("a[{index}]"));
    }
    w.line("}");
}

/// Type parameters, enums, options, and calls inside of expressions.
pub(super) fn types(w: &mut Writer<'_>) {
    w.lines(
        "enum Light { Red, Green, Blue }
         class Box<T> {
         T content;
         int uses;
         ensures Perm(content, write) ** Perm(uses, write) ** content == t ** uses == 0;
         constructor(T t) { content = t; uses = 0; }
         context Perm(content, 1\\2) ** Perm(uses, write);
         ensures uses == \\old(uses) + 1 ** \\result == content;
         T get() { uses = uses + 1; return content; }
         }
         pure Light next(Light l) = l == Light.Red ? Light.Green : (l == Light.Green ? Light.Blue : Light.Red);
         pure T choose<T>(boolean b, T x, T y) = b ? x : y;
         void main() {",
    );
    let number = w.number(0, 4);
    w.line(format!("Box<int> b = new Box<int>({number});"));
    w.line("Light l = Light.Red;");
    w.line("int r = b.get() + b.uses;");
    w.observe("r");
    for _ in 0..w.random.below(3) {
        let line = w.pick(&[
            "l = next(l);",
            "r = b.get() * 2 + b.get();",
            "r = (b.uses > 1 ? b.get() : r);",
            "b.content = b.get() + b.uses;",
            "if (b.get() > 1 && b.get() > 2) { r = b.uses; }",
            "if (b.get() > 1 || b.get() > 2) { r = b.uses; }",
            "b = new Box<int>(b.get());",
        ]);
        w.line(line);
    }
    w.observe("r");
    w.observe("b.uses");
    w.observe("b.content");
    w.observe("(l == Light.Green ? 1 : 0)");
    w.observe(&format!("choose<int>(l == Light.Red, {number}, 9)"));
    w.line("}");
}

/// A method called by several threads, nested blocks, and blocks with two variables.
pub(super) fn nested(w: &mut Writer<'_>) {
    let length = w.number(1, 2);
    let value = w.pick(&["i * 2 + j", "i + j", "j"]);
    w.lines(&format!(
        "context 0 <= i && i < 2 && a != null ** a.length == 2 * n;
         context (\\forall* int j = 0 .. n; Perm(a[i * n + j], write));
         ensures (\\forall int j = 0 .. n; a[i * n + j] == {value});
         requires n == {length};
         void row(int[] a, int n, int i) {{
         par inner (int j = 0 .. n)
         context Perm(a[i * n + j], write);
         ensures a[i * n + j] == {value};
         {{
         a[i * n + j] = {value};
         }}
         }}
         void main() {{
         int[] a = new int[2 * {length}];"
    ));
    match w.random.below(3) {
        0 => w.lines(&format!("row(a, {length}, 0);\nrow(a, {length}, 1);")),
        1 => w.lines(&format!(
            "par outer (int i = 0 .. 2)
             context (\\forall* int j = 0 .. {length}; Perm(a[i * {length} + j], write));
             ensures (\\forall int j = 0 .. {length}; a[i * {length} + j] == {value});
             {{
             row(a, {length}, i);
             }}"
        )),
        _ => w.lines(&format!(
            "par both (int i = 0 .. 2, int j = 0 .. {length})
             context Perm(a[i * {length} + j], write);
             ensures a[i * {length} + j] == {value};
             {{
             a[i * {length} + j] = {value};
             }}"
        )),
    }
    for index in 0..2 * length {
        w.maybe_observe(&format!("a[{index}]"));
    }
    w.line("}");
}
