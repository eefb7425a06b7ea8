//! Short programs about one rule each, that make one claim which is nearly true.
//!
//! A long program says much, and a verifier that gets one rule wrong usually stumbles over something else that is said. Here
//! everything but the last claim is harmless, and the claims are what one would believe if the rule were a little
//! different: a share instead of all of it, now instead of then, at least instead of more than, twice instead of once.

use crate::oracle::random::Random;

/// Slots to be filled one after the other, each by one of its texts; several lines are separated by `;`.
type Slots = &'static [&'static [&'static str]];

struct Probe {
    declarations: Slots,
    contract: Slots,
    body: Slots,
    claims: &'static [&'static str],
}

const AMOUNTS: &[&str] = &["write", "write", "1/2", "1/2", "1/4", "3/4", "1/3", "p", "wildcard"];

const GET: &[&str] =
    &["acc(x.f)", "acc(x.f, 1/2)", "acc(x.f, 1/4)", "acc(x.f) && acc(y.f)", "acc(x.f, AMOUNT)"];

/// Permission to the fields of several objects that may be one object.
const TWO: &[&str] = &[
    "acc(x.f, 1/2) && acc(y.f, 1/2)",
    "acc(x.f, p) && acc(y.f, 1/2)",
    "acc(x.f, AMOUNT) && acc(y.f, AMOUNT)",
    "acc(x.f) && acc(y.f)",
    "acc(x.f, 1/3) && acc(y.f, 2/3)",
];

const PERMISSIONS: &[&str] = &[
    "perm(x.f) == write",
    "perm(x.f) >= 1/2",
    "perm(x.f) > 1/2",
    "perm(x.f) == 1/2",
    "perm(x.f) >= 3/4",
    "perm(x.f) == none",
    "perm(x.f) <= 1/2",
    "perm(x.f) < write",
    "perm(x.f) == p",
    "x != null",
    "perm(x.f) > none",
];

const QUANTIFIED: &[&str] = &[
    "forall r: Ref :: { r.f } r in s ==> acc(r.f, AMOUNT)",
    "forall r: Ref :: r in s ==> acc(r.f)",
    "forall r: Ref :: r in s && r != y ==> acc(r.f, 1/2)",
    "forall j: Int :: { q[j] } 0 <= j && j < |q| ==> acc(q[j].f, AMOUNT)",
    "forall j: Int :: 0 <= j && j < |q| ==> acc(q[j].f)",
    "forall j: Int :: { q[j] } 0 < j && j < |q| ==> acc(q[j].f, 1/2)",
];

const PREDICATES: Slots = &[&[
    "predicate P(x: Ref) { acc(x.f) }",
    "predicate P(x: Ref) { acc(x.f, 1/2) }",
    "predicate P(x: Ref) { acc(x.f) && x.f >= 0 }",
    "predicate P(x: Ref) { acc(x.f) && x.f > 0 }",
]];

const WANDS: &[&str] = &[
    "acc(x.f) --* acc(y.f)",
    "acc(x.f, 1/2) --* acc(y.f, 1/2)",
    "acc(x.f) --* acc(x.f)",
    "true --* acc(x.f)",
    "true --* acc(x.f, 1/2)",
    "acc(x.f, 1/2) --* acc(x.g)",
    "acc(x.f) && x.f > 0 --* acc(x.f) && x.f >= 0",
];

const PROBES: &[Probe] = &[
    // Amounts: what is taken, what is left, what may be done with it.
    Probe {
        declarations: &[],
        contract: &[GET],
        body: &[
            &["", "exhale acc(x.f, AMOUNT)", "exhale b ==> acc(x.f, AMOUNT)", "assert acc(x.f, AMOUNT)"],
            &["", "", "x.f := i", "inhale acc(x.f, AMOUNT)", "exhale acc(x.f, AMOUNT)", "v := x.f"],
        ],
        claims: PERMISSIONS,
    },
    Probe {
        declarations: &[],
        contract: &[&["true", "p > none", "x != y"], TWO, &["true", "x == y", "b ==> x == y"]],
        body: &[&["", "", "exhale acc(y.f, AMOUNT)", "v := y.f"], &["", "", "inhale acc(x.f, AMOUNT)"]],
        claims: &[
            "perm(x.f) == 1/2",
            "perm(y.f) == 1/2",
            "perm(x.f) == write",
            "perm(x.f) >= 1/3",
            "x != y",
            "x == y",
            "x.f == y.f",
            "acc(x.f)",
            "x != null && y != null",
        ],
    },
    // Amounts that may be none, conditions that may be false.
    Probe {
        declarations: &[],
        contract: &[],
        body: &[&[
            "inhale acc(x.f, p)",
            "inhale b ==> acc(x.f)",
            "inhale i > 0 ==> acc(x.f, AMOUNT)",
            "inhale acc(x.f, b ? 1/2 : none)",
            "inhale acc(x.f, p) && acc(y.f, p)",
            "inhale acc(x.f, wildcard)",
        ]],
        claims: &[
            "x != null",
            "y != null",
            "p > none",
            "b",
            "perm(x.f) > none",
            "x != y",
            "perm(x.f) >= 1/2",
            "x.f == x.f",
        ],
    },
    // Values that are lost and come back, and those that are kept.
    Probe {
        declarations: &[],
        contract: &[
            &["acc(x.f)", "acc(x.f, 1/2)", "acc(x.f) && acc(y.f)", "acc(x.f, p)"],
            &["true", "p > none", "o == x", "o == x || o == y"],
        ],
        body: &[
            &["v := x.f", "v := x.f", "v := o.f", "label l;v := x.f"],
            &[
                "exhale acc(x.f, p);inhale acc(x.f, p)",
                "exhale acc(x.f);inhale acc(x.f)",
                "exhale acc(o.f, p);inhale acc(o.f, p)",
                "exhale acc(x.f, 1/2);inhale acc(x.f, 1/2)",
                "exhale b ==> acc(x.f);inhale b ==> acc(x.f)",
                "exhale acc(x.f, perm(x.f));inhale acc(x.f, p)",
                "inhale acc(o.f, p)",
                "inhale acc(o.f, p);exhale acc(x.f, p)",
            ],
        ],
        claims: &["x.f == v", "x.f == old(x.f)", "o.f == v", "x.f == y.f", "v == old(x.f)", "perm(o.f) == p"],
    },
    // A location that is one of two.
    Probe {
        declarations: &[],
        contract: &[
            &["acc(x.f) && acc(y.f)", "acc(x.f, 1/2) && acc(y.f, 1/2)", "acc(x.f, p) && acc(y.f, p)"],
            &["o == x || o == y", "b ? o == x : o == y", "o in Set(x, y)"],
        ],
        body: &[&["v := o.f", "v := o.f;w := x.f", "w := o.f + y.f", "o.f := i;v := x.f"]],
        claims: &[
            "x.f == y.f",
            "o.f == x.f",
            "x == y",
            "o == x",
            "v == w",
            "x.f == i",
            "perm(o.f) == 1/2",
            "b",
        ],
    },
    // Then and now.
    Probe {
        declarations: &[&[
            "",
            "method inc(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f == old(x.f) + 1",
        ]],
        contract: &[&["acc(x.f)", "acc(x.f) && acc(y.f)"]],
        body: &[
            &["", "x.f := i", "x.f := x.f + 1"],
            &["label l"],
            &["x.f := x.f + 1", "x.f := i", "x.f := 2", "inc(x)"],
            &["", "label l2", "label l2;x.f := 3", "inc(x)"],
        ],
        claims: &[
            "x.f == old(x.f)",
            "x.f == old(x.f) + 1",
            "x.f == old[l](x.f)",
            "x.f == old[l](x.f) + 1",
            "old[l](x.f) == old(x.f)",
            "old[l2](x.f) == old[l](x.f)",
            "old[l2](x.f) == x.f",
            "old(x.f) == i",
            "false",
            "x != y",
        ],
    },
    // Calls by contract.
    Probe {
        declarations: &[&[
            "method inc(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f == old(x.f) + 1",
            "method inc(x: Ref) requires acc(x.f) ensures acc(x.f) && x.f >= old(x.f)",
            "method inc(x: Ref) requires acc(x.f, 1/2) ensures acc(x.f, 1/2) && x.f == old(x.f)",
            "method inc(x: Ref) requires acc(x.f, wildcard)",
            "method inc(x: Ref) requires acc(x.f, 1/2)",
            "method inc(x: Ref) requires acc(x.f) && x.f > 0 ensures acc(x.f) && x.f > 0",
        ]],
        contract: &[
            &["acc(x.f)", "acc(x.f)", "acc(x.f, 1/2)", "acc(x.f) && x.f >= 0"],
            &["true", "acc(y.f)", "o == x"],
        ],
        body: &[&["v := x.f", "label l", ""], &["inc(x)", "inc(x)", "inc(x);inc(x)", "inc(o)"]],
        claims: &[
            "x.f == old(x.f)",
            "x.f == v",
            "x.f == old(x.f) + 1",
            "perm(x.f) == write",
            "perm(x.f) > 1/2",
            "false",
            "x.f > 0",
            "x.f > v",
        ],
    },
    // Loops: what they forget, keep and preserve.
    Probe {
        declarations: &[],
        contract: &[GET, &["true", "i >= 0", "i > 0"]],
        body: &[
            &["v := 0", "v := 0;x.f := 0", "v := 0;w := 7"],
            &[
                "while (k < i)\n  invariant 0 <= k\n{ k := k + 1;BODY }",
                "while (k < 3)\n  invariant CLAIM\n{ k := k + 1;BODY }",
                "while (k < 3)\n  invariant 0 <= k && k <= 3 && acc(x.f, AMOUNT)\n{ k := k + 1;BODY }",
                "while (k < i)\n  invariant acc(x.f) && CLAIM\n{ BODY;k := k + 1 }",
                "while (b)\n  invariant CLAIM\n{ BODY;b2 := true }",
            ],
        ],
        claims: &[
            "k == 3",
            "k == i",
            "k == 0",
            "v == 0",
            "v == k",
            "x.f == 0",
            "k >= i",
            "k > i",
            "perm(x.f) == write",
            "w == 7",
            "x.f == old(x.f)",
            "false",
        ],
    },
    // Shares of predicates.
    Probe {
        declarations: PREDICATES,
        contract: &[&[
            "acc(x.f)",
            "acc(x.f, 1/2)",
            "acc(x.f, 1/4)",
            "acc(x.f) && x.f > 0",
            "acc(x.f, 1/4) && x.f > 0",
            "acc(x.f, AMOUNT) && x.f > 0",
        ]],
        body: &[
            &["fold acc(P(x), 1/2)", "fold acc(P(x), AMOUNT)", "fold P(x)", "fold acc(P(x), 1/4)"],
            &["", "", "unfold acc(P(x), AMOUNT)", "exhale acc(P(x), AMOUNT)", "unfold acc(P(x), 1/4)"],
        ],
        claims: &[
            "true",
            "perm(x.f) == 3/4",
            "perm(x.f) == 1/2",
            "perm(x.f) >= 1/4",
            "perm(P(x)) == 1/2",
            "perm(P(x)) == write",
            "perm(x.f) == none",
            "perm(x.f) > none",
            "x.f == old(x.f)",
        ],
    },
    Probe {
        declarations: PREDICATES,
        contract: &[&["P(x)", "acc(P(x), 1/2)", "acc(P(x), AMOUNT)", "acc(P(x), p)"]],
        body: &[
            &[
                "unfold acc(P(x), 1/2)",
                "unfold P(x)",
                "unfold acc(P(x), AMOUNT)",
                "unfold acc(P(x), p)",
                "exhale acc(P(x), p)",
            ],
            &["", "", "x.f := 1", "v := x.f", "fold acc(P(x), AMOUNT)", "unfold acc(P(x), p)"],
        ],
        claims: &[
            "true",
            "perm(x.f) == write",
            "perm(x.f) == 1/2",
            "perm(x.f) > 1/2",
            "x.f > 0",
            "x.f >= 0",
            "p > none",
            "perm(P(x)) == none",
            "perm(P(x)) >= 1/2",
            "x != null",
        ],
    },
    // Quantified permissions: receivers that are null or the same, what is taken and what is left.
    Probe {
        declarations: &[],
        contract: &[
            &["true", "x in s", "x in s && y in s", "|q| == 2", "|q| > 1 && q[0] == x"],
            &["true", "true", "forall a: Int, c: Int :: 0 <= a && a < c && c < |q| ==> q[a] != q[c]"],
            QUANTIFIED,
        ],
        body: &[
            &[
                "",
                "",
                "exhale forall r: Ref :: r in s ==> acc(r.f, 1/2)",
                "exhale forall r: Ref :: r in s ==> acc(r.f)",
                "exhale forall j: Int :: 0 <= j && j < |q| ==> acc(q[j].f)",
                "exhale acc(x.f, AMOUNT)",
            ],
            &["", "", "v := x.f", "x.f := 1", "v := q[0].f"],
        ],
        claims: &[
            "x != null",
            "y != null",
            "!(null in s)",
            "q[0] != q[1]",
            "x != y",
            "perm(x.f) == write",
            "perm(x.f) >= 1/2",
            "perm(y.f) > none",
            "q[i] != null",
            "forall r: Ref :: r in s ==> r.f == old(r.f)",
            "false",
            "true",
        ],
    },
    Probe {
        declarations: &[],
        contract: &[&["true", "x in s", "|q| == 2", "acc(x.f, 1/2)"]],
        body: &[
            &[
                "inhale forall j: Int :: 0 <= j && j < |q| ==> acc(q[j].f)",
                "inhale forall j: Int :: { q[j] } 0 <= j && j < |q| ==> acc(q[j].f, AMOUNT)",
                "inhale forall j: Int :: { q[j] } 0 <= j && j < |q| ==> acc(q[j].f, 1/2)",
                "inhale forall r: Ref :: r in s ==> acc(r.f)",
                "inhale forall r: Ref :: { r.f } r in s && r != y ==> acc(r.f, AMOUNT)",
            ],
            &["", "", "v := x.f", "inhale acc(x.f, 1/2)"],
        ],
        claims: &["true", "x != null", "y != null", "q[0] != q[1]", "perm(x.f) == 1/2", "x != y", "false"],
    },
    // Wands: taken, used once, what they cost.
    Probe {
        declarations: &[],
        contract: &[&["acc(x.f)", "acc(x.f, 1/2)", "acc(x.f) && acc(y.f)", "true", "acc(x.f) && x.f > 0"]],
        body: &[
            &["inhale WAND", "inhale WAND", "package WAND", "inhale WAND;inhale acc(x.f, 1/2)"],
            &["apply WAND", "apply WAND", "apply WAND;apply WAND", "exhale WAND;apply WAND", ""],
            &["", "", "x.f := 1", "exhale WAND"],
        ],
        claims: &[
            "true",
            "perm(x.f) == write",
            "perm(x.f) == none",
            "perm(x.f) >= 1/2",
            "perm(y.f) == write",
            "x.f == old(x.f)",
            "x != y",
            "x.f > 0",
            "false",
        ],
    },
    // Functions: what is known of them, and when.
    Probe {
        declarations: &[
            &[
                "function f1(i: Int): Int requires i > 0",
                "function f1(i: Int): Int requires i >= 0",
                "function f1(i: Int): Int requires i != 1",
            ],
            &[
                "  ensures i > 0",
                "  ensures result > 0",
                "  ensures result >= i && i >= 0",
                "  ensures result == i && result != 0",
                "  ensures true",
            ],
            &["", "{ i }", "{ i }", "{ i + 1 }", "{ i > 2 ? f1(i - 1) : i }"],
        ],
        contract: &[&["true", "i >= 0", "i > 0"]],
        body: &[&[
            "assert i > 0 ==> f1(i) == f1(i)",
            "v := f1(i)",
            "v := i > 0 ? f1(i) : 0",
            "w := i > 0 ? f1(i) : 1",
            "assert b && i > 0 ==> f1(i) >= 0",
            "v := f1(2)",
        ]],
        claims: &[
            "i > 0",
            "i >= 0",
            "v > 0",
            "v >= i",
            "v == i",
            "f1(2) == 2",
            "f1(2) > 0",
            "i != 0",
            "false",
            "w > 0",
        ],
    },
    Probe {
        declarations: &[
            &[
                "function g1(x: Ref): Int requires acc(x.f)",
                "function g1(x: Ref): Int requires acc(x.f, 1/2) && x.f > 0",
            ],
            &["  ensures result == x.f", "  ensures result >= x.f", "  ensures result > 0", "  ensures true"],
            &["", "{ x.f }", "{ x.f }", "{ x.f + 1 }"],
        ],
        contract: &[GET, &["true", "x.f > 0"]],
        body: &[
            &["v := g1(x)", "assert b && perm(x.f) > 1/2 && x.f > 0 ==> g1(x) >= 0", ""],
            &["", "x.f := x.f + 1", "x.f := 1", "exhale acc(x.f, 1/2);inhale acc(x.f, 1/2)"],
        ],
        claims: &[
            "g1(x) == v",
            "g1(x) == x.f",
            "g1(x) == old(g1(x))",
            "x.f > 0",
            "g1(x) > 0",
            "v == x.f",
            "v >= 0",
        ],
    },
    // Numbers at the boundary.
    Probe {
        declarations: &[],
        contract: &[&[
            "i >= 0",
            "i > 0",
            "0 <= i && i <= 3",
            "!(i < 0)",
            "i > -1",
            "i != 1",
            "b ==> i >= 1",
            "p >= 1/2",
            "p > 1/2",
            "i * i >= 1",
            "b || i >= 2",
        ]],
        body: &[&["", "v := i / 2", "v := i % 2", "v := i + 1", "v := -i", "v := b ? i : 0 - i"]],
        claims: &[
            "i > 0", "i >= 0", "i >= 1", "i < 3", "i != 0", "v > 0", "v >= 0", "v < i", "v <= 1", "v == 1",
            "b", "p > 1/2", "p >= 2/3", "v != i", "i > 1",
        ],
    },
    // Collections.
    Probe {
        declarations: &[],
        contract: &[&[
            "true",
            "i >= 0",
            "0 <= i && i < |q|",
            "0 <= i && i <= |q|",
            "|q| > 1",
            "x in q",
            "x in s",
        ]],
        body: &[
            &[
                "",
                "z := q[i]",
                "z := q[0]",
                "q2 := q ++ Seq(x)",
                "q2 := q[0 := x]",
                "q2 := q[1..]",
                "q2 := Seq(x) ++ q",
            ],
            &["", "s2 := s union Set(x)", "s2 := s setminus Set(y)", "s2 := Set(x, y)"],
            &[
                "",
                "",
                "n := Multiset(1, i)",
                "n := n union Multiset(1)",
                "c := c[i := 1]",
                "v := c[i]",
                "c := Map(1 := i)",
            ],
        ],
        claims: &[
            "true",
            "|q2| == |q| + 1",
            "q2[0] == x",
            "q2[0] == q[0]",
            "|s2| == |s| + 1",
            "|s2| == 2",
            "|s2| >= |s|",
            "x in s2",
            "(1 in n) == 1",
            "(1 in n) > 0",
            "|n| == 2",
            "i in domain(c)",
            "|c| == 1",
            "c[1] == 1",
            "q[i] == z",
            "x in q2",
        ],
    },
    // Branches.
    Probe {
        declarations: &[],
        contract: &[&["acc(x.f)", "b ==> acc(x.f)", "acc(x.f, b ? write : 1/2)"]],
        body: &[&[
            "if (b) { v := 1 } else { v := 2 }",
            "if (i > 0) { v := 1 } else { v := 2 }",
            "if (b) { x.f := 1;v := 1 }",
            "if (b) { exhale acc(x.f);v := 1 }",
            "if (i > 0) { assume b } else { v := 1 }",
            "if (b) { exhale acc(x.f, 1/2) } else { v := x.f }",
        ]],
        claims: &[
            "v == 1",
            "v == 2",
            "v >= 1",
            "b",
            "i > 0",
            "x.f == 1",
            "perm(x.f) == write",
            "perm(x.f) >= 1/2",
            "v != 0",
        ],
    },
];

/// A short program with one claim that may be false.
pub(super) fn program(random: &mut Random) -> String {
    let Some(probe) = random.pick(PROBES) else { return String::new() };
    let mut text = String::from("field f: Int\nfield g: Int\n");
    for slot in probe.declarations {
        text += &format!("{}\n", filled(random, probe, slot));
    }
    text += "method m(x: Ref, y: Ref, o: Ref, i: Int, b: Bool, p: Perm, s: Set[Ref], q: Seq[Ref]) returns (v: Int, w: Int)\n";
    let bounds = random.word(&[
        "none <= p && p <= write",
        "none <= p && p <= write",
        "none < p && p < write",
        "p == 1/2",
    ]);
    text += &format!("  requires {bounds}\n");
    for slot in probe.contract {
        let clause = filled(random, probe, slot);
        text += &format!("  requires {clause}\n");
    }
    let claim = filled(random, probe, probe.claims);
    let is_local = ["z", "k", "q2", "s2", "n", "c", "b2", "old"].iter().any(|name| has_word(&claim, name));
    let in_postcondition = !is_local && !claim.contains("perm(") && random.chance(1, 8);
    if in_postcondition {
        text += "  ensures true\n";
        if let Some(permission) =
            ["acc(x.f)", "acc(x.f, 1/2)"].iter().find(|it| text.contains(**it) && claim.contains(".f"))
        {
            text += &format!("  ensures {permission}\n");
        }
        text += &format!("  ensures {claim}\n");
    }
    text += "{\n  var z: Ref := o\n  var k: Int := 0\n  var b2: Bool := b\n";
    for (name, declared) in
        [("q2", "Seq[Ref] := q"), ("s2", "Set[Ref] := s"), ("n", "Multiset[Int]"), ("c", "Map[Int, Int]")]
    {
        if probe.claims.iter().any(|claim| has_word(claim, name)) {
            text += &format!("  var {name}: {declared}\n");
        }
    }
    let wand = random.word(WANDS);
    for slot in probe.body {
        let step = filled(random, probe, slot).replace("WAND", wand);
        for line in step.split(';') {
            text += &format!("  {line}\n");
        }
    }
    if !in_postcondition {
        let word = random.word(&["assert", "assert", "assert", "exhale"]);
        text += &format!("  {word} {claim}\n");
    }
    text + "}\n"
}

fn filled(random: &mut Random, probe: &Probe, slot: &[&'static str]) -> String {
    let mut text = random.word(slot).to_string();
    while text.contains("AMOUNT") {
        text = text.replacen("AMOUNT", random.word(AMOUNTS), 1);
    }
    if text.contains("CLAIM") {
        text = text.replacen("CLAIM", random.word(probe.claims), 1);
    }
    text.replacen("BODY", random.word(&["v := v + 1", "x.f := k", "v := x.f", "w := 1", "x.f := x.f + 1"]), 1)
}

fn has_word(text: &str, word: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    text.split(|c| !is_word(c)).any(|part| part == word)
}
