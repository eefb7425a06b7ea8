//! Rules about permissions: amounts, lost values, predicates, quantifiers, wands.

use super::{GET, Probe, Slots};

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
    "forall r: Ref :: { r in s } r in s ==> acc(r.f)",
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

pub(super) const PROBES: &[Probe] = &[
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
    // A wildcard is some amount, and nobody knows which.
    Probe {
        declarations: &[],
        contract: &[&["acc(x.f)", "acc(x.f, wildcard)", "acc(x.f, 1/2)"]],
        body: &[
            &["", "exhale acc(x.f, wildcard)", "inhale acc(x.f, wildcard)"],
            &["", "exhale acc(x.f, wildcard)"],
        ],
        claims: PERMISSIONS,
    },
    // What is taken of every element.
    Probe {
        declarations: &[],
        contract: &[&["x in s", "x in s && y in s"], QUANTIFIED],
        body: &[
            &[
                "exhale forall r: Ref :: r in s ==> acc(r.f, 1/2)",
                "exhale forall r: Ref :: { r.f } r in s ==> acc(r.f)",
                "exhale forall r: Ref :: r in s && r != x ==> acc(r.f, 1/2)",
            ],
            &["", "", "x.f := 1", "inhale acc(x.f, 1/2)"],
        ],
        claims: PERMISSIONS,
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
            "x in s || x != null",
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
];
