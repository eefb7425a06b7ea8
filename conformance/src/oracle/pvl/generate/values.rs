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
            "xs = # :: xs;",
            "xs = xs ++ #;",
            "xs = xs + [#, 1];",
            "xs = xs[1 ..];",
            "xs = xs[.. #];",
            "if (|xs| > 0) { xs = xs[0 -> #]; }",
            "if (|xs| > 0) { xs = xs.tail; }",
            "s = s + {#};",
            "s = s - t;",
            "s = s * {#, 1};",
            "s = set<int>{ x + 1 | int x <- t; x > # };",
            "s = set<int>{ x | int x <- xs; x != # };",
            "s = {0 .. #};",
            "b = b + b{#};",
            "b = b - b{#};",
            "b = b * b{#, #};",
            "m = m ++ (#, 3);",
            "m = m.remove(#);",
            "t = m.keys;",
            "t = m.values;",
        ]);
        w.line(change.replace('#', &number.to_string()));
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
            "(# in b)",
            "(# in s ? 1 : 0)",
            "(# in xs ? 1 : 0)",
            "(# in m ? 1 : 0)",
            "(s <= t ? 1 : 0)",
            "(s == t ? 1 : 0)",
            "(0 < |xs| ? xs[0] : 7)",
            "(# < |xs| ? xs[#] : 7)",
            "(1 in m ? m[1] : 7)",
            "(# in m.values ? 1 : 0)",
            "(0 < |xs| ? Some(xs[0]) : None).getOrElse(5)",
            "tuple<int, int>{#, |s|}.snd",
            "|m.keys|",
            "(\\sum int k = 0 .. |xs|; xs[k])",
            "(\\count int k = 0 .. |xs|; xs[k] == #)",
            "((\\forall int k = 0 .. |xs|; xs[k] in s) ? 1 : 0)",
        ]);
        w.observe(&seen.replace('#', &number.to_string()));
    }
    w.line("}");
}
