//! Ghost code: parameters, results, statements, lemmas; some of it meddles with the program.

use super::writer::Writer;

/// Ghost parameters and results.
pub(super) fn given(w: &mut Writer<'_>) {
    let step = w.number(1, 3);
    w.lines(&format!(
        "class Cell {{ int x; }}
         given int g;
         yields int y;
         context Perm(c.x, write);
         requires c.x == g;
         ensures c.x == g + n;
         ensures y == g + {step};
         void add(Cell c, int n) {{
         y = c.x + {step};
         c.x = c.x + n;
         }}
         given frac q;
         context Perm(c.x, q);
         ensures \\result == c.x;
         ensures c.x == \\old(c.x);
         int get(Cell c) {{ return c.x; }}
         void main() {{
         Cell c = new Cell();
         int z = 0;"
    ));
    let number = w.number(-1, 4);
    w.line(format!("c.x = {number};"));
    for _ in 0..1 + w.random.below(2) {
        let by = w.number(-1, 3);
        w.line(format!("add(c, {by}) given {{ g = c.x }} yields {{ z = y }};"));
    }
    w.observe("z");
    w.observe("c.x");
    let part = w.pick(&["1\\2", "write", "1\\3"]);
    w.line(format!("int r = get(c) given {{ q = {part} }};"));
    w.observe("r");
    w.line("}");
}

/// Ghost statements around and inside of a program.
pub(super) fn influence(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }");
    w.lines(
        "ensures \\result == n + 1;
         decreases;
         ghost int more(int n) { return n + 1; }",
    );
    w.line("void main() {");
    w.lines("Cell c = new Cell();\nc.x = 1;\nc.y = 2;\nint r = 0;\nint[] a = new int[3];");
    w.line("ghost int g = 5;");
    for _ in 0..2 + w.random.below(3) {
        let number = w.number(0, 3);
        let line = w.pick(&[
            "ghost g = g + #;",
            "ghost g = more(g);",
            "r = r + #;",
            "c.x = c.x + r;",
            "ghost { if (r > #) { g = 0; } }",
            "r = (with { g = g + 1; } r + #);",
            "r = (r then { g = r; });",
            "ghost { int i = 0; loop_invariant 0 <= i && i <= 3; decreases 3 - i; while (i < 3) { i = i + 1; } }",
        ]);
        let meddles = w.pick(&[
            "ghost r = #;",
            "ghost c.x = #;",
            "r = g;",
            "ghost c = new Cell();",
            "if (g > #) { r = 1; }",
            "ghost a[0] = #;",
            "a[r % 3] = g;",
            "r = (with { r = #; } r + 1);",
            "r = more(r);",
            "ghost { c.y = 0; }",
            "a[(with { r = #; } r) % 3] = 1;",
            "r = 6 / (g - 5 + #);",
        ]);
        let line = if w.chance(1, 3) { meddles } else { line };
        w.line(line.replace('#', &number.to_string()));
    }
    for seen in ["r", "c.x", "c.y", "g", "a[0]"] {
        w.maybe_observe(seen);
    }
    if w.chance(1, 3) {
        w.lines("assert r != 9;\nint d = 6 / (r - 9);");
    }
    w.line("}");
}

/// Lemmas with proofs.
pub(super) fn lemmas(w: &mut Writer<'_>) {
    let step = w.number(1, 3);
    let claim = if w.chance(1, 3) { "f(n) >= n" } else { "f(n) == n * STEP" };
    let claim = claim.replace("STEP", &step.to_string());
    w.lines(&format!(
        "requires n >= 0;
         decreases n;
         pure int f(int n) = n == 0 ? 0 : f(n - 1) + {step};
         requires n >= 0;
         ensures {claim};
         decreases n;
         lemma about(int n) {{
         if (n > 0) {{ about(n - 1); }}
         }}
         void main() {{"
    ));
    let number = w.number(0, 9);
    w.line(format!("about({number});"));
    w.observe(&format!("(f({number}) >= {number} ? 1 : 0)"));
    w.line(format!("assert {};", claim.replace('n', &number.to_string())));
    w.line("int i = 0;");
    w.line("int s = 0;");
    w.line(format!("loop_invariant 0 <= i && i <= {number} && s == f(i);"));
    w.line(format!("while (i < {number}) {{"));
    w.line("i = i + 1;");
    w.line(format!("s = s + {step};"));
    w.line("}");
    w.line(format!("about({number});"));
    w.observe(if claim.contains("==") { "s" } else { "i" });
    w.line("}");
}
