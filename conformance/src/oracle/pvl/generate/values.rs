//! Mathematical values: sequences, sets, bags, maps, options, tuples.

use super::writer::Writer;

/// Values built step by step, and numbers and facts about them.
pub(super) fn collections(w: &mut Writer<'_>) {
    w.line("void main() {");
    let literal = |w: &mut Writer<'_>| {
        let count = w.random.below(4);
        (0..count).map(|_| w.number(0, 4).to_string()).collect::<Vec<_>>().join(", ")
    };
    let (xs, s, t, b) = (literal(w), literal(w), literal(w), literal(w));
    w.line(format!("seq<int> xs = seq<int>{{{xs}}};"));
    w.line(format!("set<int> s = set<int>{{{s}}};"));
    w.line(format!("set<int> t = set<int>{{{t}}};"));
    w.line(format!("bag<int> b = bag<int>{{{b}}};"));
    w.line("map<int, int> m = map<int, int>{1 -> 2};");
    for _ in 0..2 + w.random.below(3) {
        let number = w.number(0, 4);
        let change = w.pick(&[
            "xs = N :: xs;",
            "xs = xs ++ N;",
            "xs = xs + [N, 1];",
            "xs = xs[1 ..];",
            "xs = xs[.. N];",
            "if (|xs| > 0) { xs = xs[0 -> N]; }",
            "if (|xs| > 0) { xs = xs.tail; }",
            "s = s + {N};",
            "s = s - t;",
            "s = s * {N, 1};",
            "s = set<int>{ x + 1 | int x <- t; x > N };",
            "s = set<int>{ x | int x <- xs; x != N };",
            "s = {0 .. N};",
            "b = b + b{N};",
            "b = b - b{N};",
            "b = b * b{N, N};",
            "m = m ++ (N, 3);",
            "m = m.remove(N);",
            "t = m.keys;",
            "t = m.values;",
        ]);
        w.line(change.replace('N', &number.to_string()));
    }
    for _ in 0..2 + w.random.below(4) {
        let number = w.number(0, 4);
        let seen = w.pick(&[
            "|xs|",
            "|s|",
            "|s + t|",
            "|s * t|",
            "|s - t|",
            "|b|",
            "|m|",
            "(N in b)",
            "(N in s ? 1 : 0)",
            "(N in xs ? 1 : 0)",
            "(N in m ? 1 : 0)",
            "(s <= t ? 1 : 0)",
            "(s == t ? 1 : 0)",
            "(0 < |xs| ? xs[0] : 7)",
            "(N < |xs| ? xs[N] : 7)",
            "(1 in m ? m[1] : 7)",
            "(N in m.values ? 1 : 0)",
            "(0 < |xs| ? Some(xs[0]) : None).getOrElse(5)",
            "tuple<int, int>{N, |s|}.snd",
            "|m.keys|",
            "(\\sum int k = 0 .. |xs|; xs[k])",
            "(\\count int k = 0 .. |xs|; xs[k] == N)",
            "((\\forall int k = 0 .. |xs|; xs[k] in s) ? 1 : 0)",
        ]);
        w.observe(&seen.replace('N', &number.to_string()));
    }
    w.line("}");
}
