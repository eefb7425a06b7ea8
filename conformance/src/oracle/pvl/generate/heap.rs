//! Objects: methods with contracts, predicates, functions, constant and static fields.

use super::writer::Writer;

/// A class whose methods compute something from their fields, and a `main` that calls them, with aliases.
pub(super) fn methods(w: &mut Writer<'_>) {
    let fields = ["x".to_string(), "y".to_string()];
    w.line("class Cell {");
    w.line("int x, y;");
    if w.chance(1, 2) {
        w.lines("ensures Perm(x, write) ** Perm(y, write) ** x == n ** y == 0;");
        w.line("constructor(int n) { x = n; y = 0; }");
    } else {
        w.lines("ensures Perm(x, write) ** Perm(y, write) ** x == n;");
        w.line("constructor(int n) { x = n; }");
    }
    let count = 1 + w.random.below(3);
    for number in 0..count {
        method(w, &format!("m{number}"), &fields);
    }
    w.line("}");
    let swaps = w.chance(1, 3);
    if swaps {
        w.lines(
            "requires a != b ==> Perm(b.x, write);
             requires Perm(a.x, write);
             ensures Perm(a.x, write);
             ensures a != b ==> Perm(b.x, write) ** b.x == \\old(a.x) ** a.x == \\old(b.x);
             ensures a == b ==> a.x == \\old(a.x);
             void swap(Cell a, Cell b) {",
        );
        if w.chance(1, 2) {
            w.lines("if (a != b) { int t = a.x; a.x = b.x; b.x = t; }");
        } else {
            w.lines("int t = a.x; if (a != b) { a.x = b.x; b.x = t; }");
        }
        w.line("}");
    }
    w.line("void main() {");
    let start = w.number(-2, 4);
    w.lines(&format!("Cell p = new Cell({start});\nCell q = new Cell({});", start + 1));
    w.line("p.y = 2;");
    w.line("q.y = 1;");
    if w.chance(1, 3) {
        w.line("q = p;");
    }
    w.line("int r = 0;");
    let pool: Vec<String> = ["p.x", "p.y", "q.x", "q.y", "r"].map(String::from).to_vec();
    for _ in 0..2 + w.random.below(4) {
        statement(w, &pool, count, swaps, 1);
    }
    for observed in &pool {
        w.maybe_observe(observed);
    }
    w.line("}");
}

fn statement(w: &mut Writer<'_>, pool: &[String], methods: usize, swaps: bool, depth: usize) {
    let target = w.one_of(pool);
    match w.random.below(7) {
        0 => {
            let value = w.int(2, pool);
            w.line(format!("{target} = {value};"));
        }
        1 if depth > 0 => {
            let condition = w.condition(pool);
            w.line(format!("if ({condition}) {{"));
            statement(w, pool, methods, swaps, depth - 1);
            w.line("} else {");
            statement(w, pool, methods, swaps, depth - 1);
            w.line("}");
        }
        2 if swaps => {
            let (a, b) = (w.pick(&["p", "q"]), w.pick(&["p", "q"]));
            w.line(format!("swap({a}, {b});"));
        }
        3 => w.observe(&target),
        4 if w.chance(1, 3) => {
            w.line("if (*) {");
            w.line("r = r + 1;");
            w.line("}");
        }
        _ => {
            let object = w.pick(&["p", "q"]);
            let method = w.random.below(methods);
            let argument = w.int(1, pool);
            w.line(format!("r = {object}.m{method}({argument});"));
        }
    }
}

/// A method whose postcondition says exactly what it computes.
fn method(w: &mut Writer<'_>, name: &str, fields: &[String]) {
    // The value of each field, in terms of the old ones.
    let mut values: Vec<String> = fields.iter().map(|field| format!("\\old({field})")).collect();
    let mut body = Vec::new();
    for _ in 0..1 + w.random.below(3) {
        let at = w.random.below(fields.len());
        let mut pool: Vec<String> = fields.to_vec();
        pool.push("n".to_string());
        let value = w.int(1, &pool);
        let mut meaning = value.clone();
        if meaning.len() < 40 && values.iter().all(|value| value.len() < 60) {
            for (field, value) in fields.iter().zip(&values) {
                meaning = substitute(&meaning, field, value);
            }
            values[at] = meaning;
            body.push(format!("{} = {value};", fields[at]));
        }
    }
    let result = w.random.below(fields.len());
    for field in fields {
        w.line(format!("context Perm({field}, write);"));
    }
    let drop = if w.chance(1, 4) { w.random.below(fields.len()) } else { fields.len() };
    for (at, (field, value)) in fields.iter().zip(&values).enumerate() {
        if at != drop {
            w.line(format!("ensures {field} == {value};"));
        }
    }
    w.line(format!("ensures \\result == {};", fields[result]));
    w.line(format!("int {name}(int n) {{"));
    for line in body {
        w.line(line);
    }
    if w.chance(1, 4) {
        w.line("n = 0;");
    }
    w.line(format!("return {};", fields[result]));
    w.line("}");
}

/// Replaces a name where it stands alone.
fn substitute(text: &str, name: &str, by: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '\\';
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find(name) {
        let before = rest[..at].chars().last().is_some_and(is_word);
        let behind = rest[at + name.len()..].chars().next().is_some_and(is_word);
        // What is inside of `\old(…)` already is about the old value.
        let is_old = rest[..at].ends_with("\\old(");
        result.push_str(&rest[..at]);
        result.push_str(if before || behind || is_old { name } else { by });
        rest = &rest[at + name.len()..];
    }
    result.push_str(rest);
    result
}

/// A linked list behind a predicate.
pub(super) fn lists(w: &mut Writer<'_>) {
    let part = w.pick(&["write", "write", "1\\2"]);
    w.lines(&format!(
        "class Node {{
         int value;
         Node next;
         resource list() = Perm(value, {part}) ** Perm(next, {part}) ** next?.list();
         ensures Perm(value, write) ** Perm(next, write) ** value == v ** next == n;
         constructor(int v, Node n) {{ value = v; next = n; }}
         requires list();
         decreases list();
         pure int total() = unfolding list() in (next == null ? value : value + next.total());
         requires list();
         ensures \\result > 0;
         decreases list();
         pure int length() = unfolding list() in (next == null ? 1 : 1 + next.length());"
    ));
    if part == "write" {
        w.lines(
            "requires list();
             ensures list();
             ensures length() == \\old(length());
             ensures total() == \\old(total()) + n;
             void add(int n) {
             unfold list();
             value = value + n;
             fold list();
             }
             requires list();
             ensures list();
             ensures length() == \\old(length()) + 1;
             ensures total() == \\old(total()) + v;
             void append(int v) {
             unfold list();
             if (next == null) {
             next = new Node(v, null);
             fold next.list();
             } else {
             next.append(v);
             }
             fold list();
             }",
        );
    }
    w.line("}");
    w.line("void main() {");
    let mut last = "null".to_string();
    for number in 0..1 + w.random.below(3) {
        let value = w.number(-2, 5);
        w.line(format!("Node n{number} = new Node({value}, {last});"));
        if w.chance(1, 8) {
            w.line(format!("n{number}.value = {value} + 1;"));
        }
        w.line(format!("fold n{number}.list();"));
        last = format!("n{number}");
    }
    if part == "write" {
        for _ in 0..w.random.below(3) {
            let value = w.number(-2, 4);
            let call = w.pick(&["add", "append"]);
            w.line(format!("{last}.{call}({value});"));
        }
    }
    w.observe(&format!("{last}.length()"));
    w.observe(&format!("{last}.total()"));
    if w.chance(1, 2) {
        w.line(format!("unfold {last}.list();"));
        w.observe(&format!("{last}.value"));
        if w.chance(1, 3) {
            w.line(format!("{last}.value = {last}.value + 1;"));
            w.line(format!("fold {last}.list();"));
            w.observe(&format!("{last}.total()"));
        }
    }
    w.line("}");
}

/// Read permissions that come back by themselves, under several names.
pub(super) fn auto_values(w: &mut Writer<'_>) {
    w.line("class Cell {\nint x;\n}".replace('\n', " "));
    let both = w.pick(&["AutoValue(a.x) ** AutoValue(b.x)", "AutoValue(a.x)", "Value(a.x) ** Value(b.x)"]);
    let only_a = both == "AutoValue(a.x)";
    let more = match w.random.below(4) {
        0 if w.wild => " ** Perm(b.x, write)",
        1 if w.wild => " ** Perm(b.x, 1\\2)",
        _ => "",
    };
    if more.is_empty() && only_a {
        w.line(format!("requires {both};\nensures {both};").replace('\n', " "));
    } else {
        w.line(format!("requires {both}{more};"));
        w.line(format!("ensures {both}{more};"));
    }
    let mut values = "a.x + 1".to_string();
    if !only_a || !more.is_empty() {
        values = "a.x + b.x".to_string();
    }
    w.line(format!("ensures \\result == {values};"));
    w.line("int look(Cell a, Cell b) {");
    if more == " ** Perm(b.x, write)" {
        w.line("b.x = b.x + 1;");
    }
    w.line(format!("return {values};"));
    w.line("}");
    if w.chance(1, 2) {
        w.lines(
            "requires AutoValue(c.x);
             ensures \\result == \\old(c.x);
             int peek(Cell c) { return c.x; }",
        );
    } else {
        w.lines(
            "requires AutoValue(c.x);
             ensures AutoValue(c.x) ** \\result == c.x;
             int peek(Cell c) { return c.x; }",
        );
    }
    w.line("void main() {");
    w.line("Cell p = new Cell();");
    let number = w.number(0, 5);
    w.line(format!("p.x = {number};"));
    w.line("Cell q = new Cell();");
    w.line(format!("q.x = {};", number + 2));
    if w.chance(1, 3) {
        w.line("q = p;");
    }
    w.line("int r = look(p, q);");
    w.observe("r");
    w.observe("p.x");
    if w.chance(1, 2) {
        w.line("r = peek(q);");
        w.observe("r");
    }
    w.line("q.x = r + 1;");
    w.observe("p.x");
    w.observe("q.x");
    w.line("}");
}

/// Recursive functions and facts by quantifiers.
pub(super) fn functions(w: &mut Writer<'_>) {
    let (base, step) = (w.number(0, 2), w.number(1, 3));
    let operator = w.pick(&["+", "+", "*"]);
    w.lines(&format!(
        "requires n >= 0;
         decreases n;
         pure int f(int n) = n == 0 ? {base} : f(n - 1) {operator} {step};"
    ));
    let (lower, upper) = (w.hole(), w.number(2, 4));
    w.lines(&format!(
        "pure int larger(int a, int b) = a >= b ? a : b;
         requires n >= 0;
         ensures \\result == f(n);
         int compute(int n) {{
         int r = {base};
         int i = 0;
         loop_invariant 0 <= i && i <= n && r == f(i);
         decreases n - i;
         while (i < n) {{
         i = i + 1;
         r = r {operator} {step};
         }}
         return r;
         }}
         void main() {{
         int r = compute({upper});
         assert f(0) == {lower};"
    ));
    for number in 0..=upper {
        w.observe(&format!("f({number})"));
    }
    w.observe("r");
    let bound = w.number(1, 5);
    let limit = w.number(-1, 6);
    let quantified = w.pick(&[
        "(\\forall int i = 0 .. B; f(0) <= i + L)",
        "(\\exists int i = 0 .. B; i == L)",
        "(\\forall int i; 0 <= i && i < B; larger(i, L) >= L)",
        "(\\forall int i, int j; 0 <= i && i < B && i <= j && j < B; i + j <= 2 * j + L)",
    ]);
    let quantified = quantified.replace('B', &bound.to_string()).replace('L', &limit.to_string());
    w.observe(&format!("({quantified} ? 1 : 0)"));
    w.observe(&format!("larger(r, {limit})"));
    w.line("}");
}

/// Fields that are constant, set in constructors, and overloaded operators.
pub(super) fn finals(w: &mut Writer<'_>) {
    w.line("class Fixed {");
    w.line("final int k;");
    w.line("int x;");
    let early = w.chance(1, 3);
    let step = w.number(1, 3);
    if early {
        w.lines("requires n >= 0;\nensures k == n ** Perm(x, write) ** x == n + 1;");
        w.line("constructor(int n) { k = n; x = k + 1; }");
    } else {
        w.lines("ensures k == n ** Perm(x, write);\nensures x == n;");
        w.line("constructor(int n) { x = n; k = x; }");
    }
    w.line(format!("pure int +(int other) = k + other * {step};"));
    w.lines(
        "context Perm(x, write);
         ensures x == \\old(x) + k;
         void step() { x = x + k; }",
    );
    w.line("}");
    w.line("void main() {");
    let number = w.number(0, 4);
    w.line(format!("Fixed f = new Fixed({number});"));
    w.line(format!("Fixed g = new Fixed({});", number + 1));
    w.line("f.step();");
    if w.chance(1, 2) {
        w.line("if (f.k < g.k) { f.step(); } else { g.step(); }");
    }
    w.observe("f.x");
    w.observe("f.k + g.k");
    w.observe("(f + 2)");
    w.observe("g.x");
    w.line("}");
}
