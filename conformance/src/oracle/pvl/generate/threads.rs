//! Threads of par blocks: shared invariants, barriers, messages.

use super::writer::Writer;

/// Threads that each own an element, and may read what nobody writes.
pub(super) fn par(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }\nvoid main() {");
    let length = w.number(1, 3);
    w.line(format!("int n = {length};"));
    w.line(format!("int[] a = new int[{length}];"));
    w.line(format!("int[] b = new int[{length}];"));
    w.lines("Cell c = new Cell();\nc.x = 2;\nc.y = 1;");
    for index in 0..length {
        let value = w.number(-1, 3);
        w.line(format!("b[{index}] = {value};"));
    }
    let reads = w.random.below(4);
    let (needs, value) = match reads {
        0 => (String::new(), "i".to_string()),
        1 => (" ** Perm(c.x, 1\\4)".to_string(), "i + c.x".to_string()),
        2 => (" ** Perm(b[i], 1\\2)".to_string(), "b[i] + 1".to_string()),
        _ => (" ** Perm(b[(i + 1) % n], 1\\2)".to_string(), "b[(i + 1) % n] - i".to_string()),
    };
    w.line("par block (int i = 0 .. n)");
    let index = if w.chance(1, 4) { "n - 1 - i" } else { "i" };
    w.line(format!("context Perm(a[{index}], write){needs};"));
    w.line(format!("ensures a[{index}] == {value};"));
    w.line("{");
    let local = w.chance(1, 3);
    if local {
        w.line("int t = i;");
        if w.chance(1, 2) {
            w.line("pointer<int> q = &t;");
            w.line("*q = t + 0;");
        }
    }
    w.line(format!("a[{index}] = {};", if local { value.replace('i', "t") } else { value.clone() }));
    if w.chance(1, 3) {
        w.line(format!("assert a[{index}] == {value};"));
    }
    w.line("}");
    for index in 0..length {
        w.maybe_observe(&format!("a[{index}]"));
    }
    w.observe("c.x");
    w.line("}");
}

/// Blocks side by side and one after the other.
pub(super) fn regions(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; }\nvoid main() {\nCell c = new Cell();\nc.x = 1;\nc.y = 2;");
    let length = w.number(1, 3);
    w.line(format!("int[] a = new int[{length}];"));
    let (v1, v2) = (w.number(0, 4), w.number(0, 4));
    let kind = w.pick(&["parallel", "parallel", "sequential"]);
    let field = if kind == "sequential" || w.chance(1, 8) { "x" } else { "y" };
    w.line(format!("{kind} {{"));
    w.lines(&format!(
        "par one ()
         context Perm(c.x, write);
         ensures c.x == {v1};
         {{
         c.x = {v1};
         }}
         par two ()
         context Perm(c.{field}, write);
         ensures c.{field} == {v2};
         {{
         c.{field} = {v2};
         }}"
    ));
    if w.chance(1, 2) {
        w.lines(&format!(
            "par three (int i = 0 .. {length})
             context Perm(a[i], write);
             ensures a[i] == i + {v1};
             {{
             a[i] = i + {v1};
             }}"
        ));
    }
    w.line("}");
    for seen in ["c.x", "c.y", "a[0]"] {
        w.observe(seen);
    }
    w.line("}");
}

/// Shared invariants and atomic blocks.
pub(super) fn atomic(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; int z; }\nvoid main() {\nCell c = new Cell();\nCell d = new Cell();");
    let start = w.number(0, 2);
    let step = w.number(1, 2);
    w.line(format!("c.x = {start};"));
    w.lines("c.y = 0;\nc.z = 0;\nd.x = 1;\nd.y = 0;\nd.z = 0;");
    let aliased = w.chance(1, 5);
    if aliased {
        w.line("d = c;");
    }
    w.line("int[] a = new int[3];");
    w.line("int k = 1;");
    let addressed = w.chance(1, 4);
    if addressed {
        w.line("pointer<int> p = &k;");
    }
    let mut facts = vec![format!("c.x >= {start}"), format!("c.x % {step} == {start} % {step}")];
    if w.wild {
        for fact in ["c.y == 0", "d.x == 1", "k == 1", "a[0] == 0", "c.x <= 9"] {
            if w.chance(1, 3) {
                facts.push(fact.to_string());
            }
        }
    }
    let fact = w.one_of(&facts);
    let permission = match w.random.below(if w.wild { 5 } else { 2 }) {
        0 | 1 => "Perm(c.x, write)".to_string(),
        2 => "Perm(c.x, 1\\2)".to_string(),
        3 => "Perm(c.y, write)".to_string(),
        _ => "Perm(a[c.y], write)".to_string(),
    };
    if w.wild && w.chance(1, 3) {
        w.line(format!("invariant s({fact}) {{"));
    } else {
        w.line(format!("invariant s({permission} ** {fact}) {{"));
    }
    if w.wild && w.chance(1, 3) {
        let line = w.pick(&["c.x = c.x + 1;", "c.y = 1;", "k = 2;", "d.x = 2;", "a[0] = 1;"]);
        w.line(line);
    }
    let threads = w.number(2, 3);
    w.line(format!("par block (int i = 0 .. {threads})"));
    let owns = w.chance(1, 2);
    if owns {
        w.line("context Perm(a[i], write);");
        w.line("ensures a[i] == i;");
    }
    w.line("{");
    if owns {
        w.line("a[i] = i;");
    }
    for _ in 0..1 + w.random.below(2) {
        let reset = if w.chance(1, 5) { " c.x = c.x * 1;" } else { "" };
        let mut line = format!("atomic(s) {{ c.x = c.x + {step};{reset} }}");
        if w.chance(1, 5) {
            line = format!("int t = 0; atomic(s) {{ t = c.x; c.x = t + {step}; }} ");
            line.push_str("assert t == t;");
        }
        if w.chance(1, 6) {
            line = format!("if (i == 0) {{ {line} }}");
        }
        w.line("{");
        w.line(line);
        w.line("}");
    }
    w.lines("}\n}");
    w.observe("(c.x >= 0 ? 1 : 0)");
    if w.chance(1, 3) {
        w.observe("c.x");
    }
    w.observe("c.y");
    w.observe("k");
    if !aliased {
        w.observe("d.x");
    }
    if owns {
        w.observe("a[1]");
    }
    w.line("}");
}

/// Barriers, with what they give and take, conditions around them, and locals.
pub(super) fn barrier(w: &mut Writer<'_>) {
    w.lines("class Cell { int x; int y; final int f; ensures Perm(x, write) ** Perm(y, write) ** f == n; constructor(int n) { f = n; } }");
    w.line("void main() {");
    let threads = w.number(2, 3);
    let number = w.number(0, 2);
    w.line(format!("int n = {threads};"));
    w.line(format!("int[] a = new int[{threads}];"));
    w.line(format!("int[] b = new int[{threads}];"));
    w.lines(&format!("Cell c = new Cell({number});\nc.x = {number};\nc.y = 0;"));
    w.line(format!("int k = {number};"));
    let addressed = w.chance(1, 3);
    if addressed {
        w.line("pointer<int> p = &k;");
    }
    let next = w.pick(&["(i + 1) % n", "(i + 1) % n", "n - 1 - i", "i"]);
    let share = w.pick(&["write", "1\\2"]);
    w.line("par team (int i = 0 .. n)");
    w.line("requires Perm(a[i], write);");
    w.line("context Perm(b[i], write);");
    w.line("context Perm(c.x, 1\\8);");
    if addressed && w.chance(1, 2) {
        w.line("context \\pointer(&k, 1, 1\\8);");
    }
    let ensures = w.chance(2, 3);
    if ensures {
        w.line(format!("ensures b[i] == {next};"));
    }
    if w.chance(1, 3) {
        w.line(format!("ensures Perm(a[{next}], {share});"));
    }
    w.line("{");
    w.line("a[i] = i;");
    let local = w.random.below(4);
    match local {
        0 => w.line("int t = i;"),
        1 => w.line("int t = c.x;"),
        2 => w.lines("int t = i;\npointer<int> q = &t;\n*q = i * 1;"),
        _ => w.line(format!("int t = {number};")),
    }
    let condition = w.pick(&[
        "",
        "",
        "",
        "n > 1",
        "k == k",
        "t >= 0",
        "t == 0",
        "c.x >= 0",
        "c.f == NUMBER",
        "i >= 0",
        "*(&t) >= 0",
        "k == NUMBER",
    ]);
    let condition = condition.replace("NUMBER", &number.to_string());
    if !condition.is_empty() {
        w.line(format!("if ({condition}) {{"));
    }
    let mut requires = vec!["a[i] == i".to_string()];
    let mut given = vec![format!("a[{next}] == {next}")];
    if w.wild {
        for clause in ["t == i", "t >= 0", "c.x == t", "b[i] == 0", "k == NUMBER", "t == 0"] {
            let clause = clause.replace("NUMBER", &number.to_string());
            if w.chance(1, 3) {
                requires.push(clause.clone());
            }
            if w.chance(1, 3) {
                given.push(clause);
            }
        }
    }
    let (requires, given) = (requires.join(" ** "), given.join(" ** "));
    w.line("barrier(team) {");
    w.line(format!("requires Perm(a[i], write) ** {requires};"));
    w.line(format!("ensures Perm(a[{next}], {share}) ** {given};"));
    w.line("}");
    w.line(format!("b[i] = a[{next}];"));
    if !condition.is_empty() {
        w.line("} else {");
        w.line(format!("b[i] = {next};"));
        w.line("}");
    }
    if w.chance(1, 4) {
        let again = w.pick(&[
            "barrier(team) { }",
            "if (n > 1) { barrier(team) { } }",
            "if (t == i) { barrier(team) { } }",
        ]);
        w.line(again);
    }
    w.line("}");
    for index in 0..threads {
        w.maybe_observe(&format!("b[{index}]"));
    }
    w.observe("c.x");
    w.observe("k");
    w.line("}");
}

/// Messages between the threads of a block.
pub(super) fn messages(w: &mut Writer<'_>) {
    let threads = w.number(2, 3);
    w.lines("class Cell { int x; }\nvoid main() {");
    w.line(format!("int n = {threads};"));
    w.line(format!("int[] a = new int[{threads}];"));
    w.line(format!("int[] b = new int[{threads}];"));
    w.lines("int k = 1;\nCell c = new Cell();\nc.x = 1;");
    let addressed = w.chance(1, 3);
    if addressed {
        w.line("pointer<int> p = &k;");
    }
    w.line("par team (int i = 0 .. n)");
    w.line("requires Perm(a[i], write);");
    w.line("context Perm(b[i], write);");
    w.line("requires Perm(c.x, 1\\8);");
    if addressed && w.chance(1, 2) {
        w.line("context \\pointer(&k, 1, 1\\8);");
    }
    if w.chance(1, 2) {
        w.line("ensures i > 0 ==> b[i] == i;");
    }
    w.line("{");
    w.line("a[i] = i + 1;");
    let local = w.pick(&["int t = i;", "int t = 1;", "int t = c.x;"]);
    w.line(&local);
    if w.chance(1, 4) {
        w.lines("pointer<int> q = &t;\n*q = t;");
    }
    let condition = w.pick(&[
        "i > 0",
        "i > 0",
        "i > 0",
        "i > 0",
        "i > 0",
        "i > 0 && t >= 0",
        "i > 0 && c.x == 1",
        "i > 0 && k == 1",
    ]);
    w.line(format!("if ({condition}) {{"));
    w.lines("recv handed;\nb[i] = a[i - 1];\n}");
    let condition = w.pick(&[
        "i < n - 1",
        "i < n - 1",
        "i < n - 1",
        "i < n - 1",
        "i < n - 1 && c.x == 1",
        "i < n - 1 && t >= 0",
    ]);
    w.line(format!("if ({condition}) {{"));
    let extra = if w.wild {
        w.pick(&["", " ** t == i", " ** c.x == 1", " ** k == 1", " ** t >= 0"])
    } else {
        String::new()
    };
    w.line(format!("send handed, 1: Perm(a[i], 1\\2) ** a[i] == i + 1{extra};"));
    w.lines("}\n}");
    for index in 1..threads {
        w.maybe_observe(&format!("b[{index}]"));
    }
    w.observe("k");
    w.line("}");
}
