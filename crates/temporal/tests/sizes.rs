//! Sizes and classes of automata of well-known formulas: a change for the worse must be deliberate.

use expect_test::expect;
use source::FileId;
use temporal::{
    AcceptanceKind, Dialect, FormulaStore, TranslationError, classify, display, formula_stutter_invariance,
    parse, simplify, translate,
};

/// Patterns of Dwyer et al. (FMSP'98), Etessami and Holzmann (CONCUR'00) and Somenzi and Bloem (CAV'00).
const FORMULAS: &[&str] = &[
    "G !p",
    "F r -> (!p U r)",
    "G(q -> G !p)",
    "G((q & !r & F r) -> (!p U r))",
    "G(q & !r -> (!p W r))",
    "G !q | F(q & F p)",
    "!p W (p W (!p W (p W G !p)))",
    "G(p -> F s)",
    "F r -> (p -> (!r U (s & !r))) U r",
    "G((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))",
    "F p -> (!p U (s & !p & X(!p U t)))",
    "G(s & X F t -> X F(t & F p))",
    "G(p -> F(s & X F t))",
    "p U (q & G r)",
    "p U (q & X(r U s))",
    "F(p & X G q)",
    "F G p | G F q",
    "G(p -> (q U r))",
    "G(p & X F(q & X F(r & X F s)))",
    "G F p & G F q & G F r & G F s & G F t",
    "(p U (q U r)) | (q U (r U p)) | (r U (p U q))",
    "G(p -> (q U (G r | G s)))",
    "G F p -> G F q",
    "F p U G q",
    "G p U q",
    "!(F F p <-> F p)",
    "!(G F p <-> G F q)",
    "(X p U X q) | !X(p U q)",
    "G(p -> F q) & ((X p U q) | !X(p U (p & q)))",
    "!G(p -> X(q R r))",
    "(G(q | G F p) & G(r | G F !p)) | G q | G r",
    "G F((p xor X p) | (q xor X q))",
];

#[test]
fn well_known_formulas_have_small_automata() {
    let mut shown = String::new();
    for text in FORMULAS {
        let mut store = FormulaStore::new();
        let (formula, _) = parse(&mut store, FileId(0), text, Dialect::Spot);
        let negation = store.not(formula);
        let sizes = [formula, negation].map(|formula| {
            let kinds =
                [AcceptanceKind::Tgba, AcceptanceKind::Sgba, AcceptanceKind::Tba, AcceptanceKind::Sba];
            kinds.map(|kind| translate(&mut store, formula, kind).unwrap().states.len().to_string()).join(" ")
        });
        shown.push_str(&format!("{}, negated {}: {text}\n", sizes[0], sizes[1]));
    }
    expect![[r#"
        1 1 1 1, negated 2 2 2 2: G !p
        3 3 3 3, negated 3 3 3 3: F r -> (!p U r)
        2 2 2 2, negated 3 3 3 3: G(q -> G !p)
        3 3 3 3, negated 4 4 4 4: G((q & !r & F r) -> (!p U r))
        2 2 2 2, negated 3 3 3 3: G(q & !r -> (!p W r))
        3 3 3 3, negated 2 2 2 2: G !q | F(q & F p)
        5 5 5 5, negated 6 6 6 6: !p W (p W (!p W (p W G !p)))
        2 2 2 2, negated 2 2 2 2: G(p -> F s)
        3 3 3 3, negated 3 3 3 3: F r -> (p -> (!r U (s & !r))) U r
        3 3 3 3, negated 4 4 4 4: G((q & !r & F r) -> ((p -> (!r U (s & !r))) U r))
        3 3 3 3, negated 3 3 3 3: F p -> (!p U (s & !p & X(!p U t)))
        4 4 4 4, negated 3 3 3 3: G(s & X F t -> X F(t & F p))
        4 5 4 5, negated 3 3 3 3: G(p -> F(s & X F t))
        2 2 2 2, negated 4 4 4 4: p U (q & G r)
        3 3 3 3, negated 4 4 4 4: p U (q & X(r U s))
        2 2 2 2, negated 2 3 2 3: F(p & X G q)
        3 4 3 4, negated 2 3 2 3: F G p | G F q
        2 2 2 2, negated 3 3 3 3: G(p -> (q U r))
        1 4 3 4, negated 5 5 5 5: G(p & X F(q & X F(r & X F s)))
        1 6 5 6, negated 6 6 6 6: G F p & G F q & G F r & G F s & G F t
        2 2 2 2, negated 2 2 2 2: (p U (q U r)) | (q U (r U p)) | (r U (p U q))
        4 4 4 4, negated 6 8 7 8: G(p -> (q U (G r | G s)))
        3 4 3 4, negated 2 3 2 3: G F p -> G F q
        3 3 3 3, negated 2 3 2 3: F p U G q
        4 4 4 4, negated 3 3 3 3: G p U q
        1 1 1 1, negated 1 1 1 1: !(F F p <-> F p)
        3 5 3 5, negated 3 5 4 5: !(G F p <-> G F q)
        1 1 1 1, negated 1 1 1 1: (X p U X q) | !X(p U q)
        2 2 2 2, negated 2 2 2 2: G(p -> F q) & ((X p U q) | !X(p U (p & q)))
        3 3 3 3, negated 2 2 2 2: !G(p -> X(q R r))
        4 5 5 6, negated 6 6 6 6: (G(q | G F p) & G(r | G F !p)) | G q | G r
        4 5 4 5, negated 5 5 5 5: G F((p xor X p) | (q xor X q))
    "#]]
    .assert_eq(&shown);
}

#[test]
fn classes_of_well_known_formulas() {
    let mut shown = String::new();
    for text in [
        "F p",
        "G p",
        "G(p -> F q)",
        "F G p",
        "p U q",
        "p W q",
        "X p",
        "F(p & X p)",
        "X X p | X X !p",
        "G F p",
        "0",
        "1",
    ] {
        let mut store = FormulaStore::new();
        let (formula, _) = parse(&mut store, FileId(0), text, Dialect::Spot);
        let automaton = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        let classes = classify(&automaton);
        let flags = [
            (classes.deterministic, "deterministic"),
            (classes.complete, "complete"),
            (classes.empty, "empty"),
            (classes.terminal, "terminal"),
            (classes.weak, "weak"),
            (classes.very_weak, "very weak"),
            (classes.safety, "safety"),
        ];
        let flags: Vec<&str> = flags.iter().filter(|(holds, _)| *holds).map(|(_, name)| *name).collect();
        shown.push_str(&format!(
            "{text}: {} states, {} edges, {} transitions, {}, stuttering {:?}\n",
            classes.states,
            classes.edges,
            classes.transitions,
            flags.join(", "),
            formula_stutter_invariance(&mut store, formula)
        ));
    }
    expect![[r#"
        F p: 2 states, 3 edges, 4 transitions, deterministic, complete, terminal, weak, very weak, stuttering WithoutNext
        G p: 1 states, 1 edges, 1 transitions, deterministic, weak, very weak, safety, stuttering WithoutNext
        G(p -> F q): 2 states, 4 edges, 8 transitions, deterministic, complete, stuttering WithoutNext
        F G p: 2 states, 3 edges, 4 transitions, weak, very weak, stuttering WithoutNext
        p U q: 2 states, 3 edges, 7 transitions, deterministic, terminal, weak, very weak, stuttering WithoutNext
        p W q: 2 states, 3 edges, 7 transitions, deterministic, weak, very weak, safety, stuttering WithoutNext
        X p: 3 states, 3 edges, 5 transitions, deterministic, terminal, weak, very weak, safety, stuttering Refuted
        F(p & X p): 3 states, 5 edges, 6 transitions, deterministic, complete, terminal, weak, stuttering Refuted
        X X p | X X !p: 1 states, 1 edges, 2 transitions, deterministic, complete, terminal, weak, very weak, safety, stuttering WithoutNext
        G F p: 1 states, 2 edges, 2 transitions, deterministic, complete, stuttering WithoutNext
        0: 1 states, 0 edges, 0 transitions, deterministic, empty, terminal, weak, very weak, safety, stuttering WithoutNext
        1: 1 states, 1 edges, 1 transitions, deterministic, complete, terminal, weak, very weak, safety, stuttering WithoutNext
    "#]].assert_eq(&shown);
}

fn translated(text: &str) -> Result<usize, TranslationError> {
    let mut store = FormulaStore::new();
    let (formula, _) = parse(&mut store, FileId(0), text, Dialect::Spot);
    translate(&mut store, formula, AcceptanceKind::Tgba).map(|automaton| automaton.states.len())
}

fn many(operator: &str, count: usize) -> String {
    (0..count).map(|i| format!("{operator} p{i}")).collect::<Vec<_>>().join(" & ")
}

#[test]
fn formulas_beyond_the_limits_are_refused() {
    assert_eq!(translated(&many("F", 65)), Err(TranslationError::TooManyPropositions { found: 65 }));
    assert_eq!(translated(&many("F G", 64)), Ok(2));
    assert_eq!(translated(&many("F", 7)), Ok(128));
}

#[test]
#[ignore = "takes long without optimisation"]
fn formulas_that_exhaust_the_memory_they_are_granted_are_refused() {
    assert!(translated(&many("F", 40)).is_err());
    assert!(translated(&many("G F", 33)).is_err());
    // Far too many nodes, because the order of the atoms is the wrong one.
    let pairs: Vec<String> = (0..32).map(|i| format!("(p{i} & p{})", i + 32)).collect();
    assert!(translated(&format!("G(({}) | ({}))", many("", 64), pairs.join(" | "))).is_err());
}

/// Recursion is bounded by the depth of formulas; a small stack must be enough for the deepest that is allowed.
#[test]
fn the_deepest_formulas_fit_on_a_small_stack() {
    let nested =
        |open: &str, close: &str, times: usize| format!("{}a{}", open.repeat(times), close.repeat(times));
    let texts = [
        (nested("X ", "", 490), true),
        (nested("X(b | ", ")", 240), false),
        (nested("b U (c R (", "))", 120), false),
        (nested("F(b & G(c | ", "))", 120), false),
        (nested("(", " U b) W c", 240), true),
        (nested("!(b <-> ", ")", 240), true),
        (nested("b M (c W (", "))", 120), false),
    ];
    for (text, to_automaton) in texts {
        let work = move || {
            let mut store = FormulaStore::new();
            let (formula, diagnostics) = parse(&mut store, FileId(0), &text, Dialect::Spot);
            assert!(diagnostics.is_empty(), "{text} {diagnostics:?}");
            let simple = simplify(&mut store, formula);
            let _ = display(&store, simple, Dialect::Spin).to_string();
            if to_automaton {
                assert!(translate(&mut store, formula, AcceptanceKind::Sba).is_ok());
            }
        };
        std::thread::Builder::new().stack_size(1 << 20).spawn(work).unwrap().join().unwrap();
    }
}
