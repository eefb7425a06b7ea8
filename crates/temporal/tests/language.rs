//! The language of every automaton this crate makes is the formula's, shown on random lassos.

mod common;

use common::{lassos, project, store_with, tree};
use proptest::prelude::*;
use source::FileId;
use temporal::{
    AcceptanceKind, Dialect, Lasso, StutterInvariance, accepts, automaton_stutter_invariance, classify,
    convert, display, evaluate, formula_stutter_invariance, parse, read_hoa, read_never_claim, simplify,
    translate, write_hoa, write_never_claim,
};

const KINDS: [AcceptanceKind; 4] =
    [AcceptanceKind::Tgba, AcceptanceKind::Sgba, AcceptanceKind::Tba, AcceptanceKind::Sba];

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

/// Repeats each letter a few times.
fn stuttered(word: &Lasso, times: &[u8]) -> Lasso {
    let mut index = 0;
    let mut stretch = |letters: &[u64]| {
        let mut result = Vec::new();
        for letter in letters {
            let count = 1 + times[index % times.len()] as usize % 3;
            result.extend(std::iter::repeat_n(*letter, count));
            index += 1;
        }
        result
    };
    Lasso { stem: stretch(&word.stem), cycle: stretch(&word.cycle) }
}

proptest! {
    #![proptest_config(config(400))]

    #[test]
    fn automaton_accepts_exactly_the_words_that_satisfy_the_formula(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        for kind in KINDS {
            let automaton = translate(&mut store, formula, kind).unwrap();
            prop_assert_eq!(automaton.kind, kind);
            if kind.is_state_based() {
                for state in &automaton.states {
                    prop_assert!(state.edges.windows(2).all(|pair| pair[0].marks == pair[1].marks));
                }
            }
            if !kind.is_generalised() {
                prop_assert_eq!(automaton.sets, 1);
            }
            for word in &words {
                let read = project(&store, &automaton, word);
                let expected = evaluate(&store, formula, word);
                prop_assert_eq!(accepts(&automaton, &read), expected, "{:?} on {:?}", kind, word);
            }
        }
    }

    #[test]
    fn formula_and_negation_split_the_words(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        let negation = store.not(formula);
        let positive = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        let negative = translate(&mut store, negation, AcceptanceKind::Tgba).unwrap();
        for word in &words {
            let accepted = [&positive, &negative].map(|automaton| {
                accepts(automaton, &project(&store, automaton, word))
            });
            prop_assert!(accepted[0] != accepted[1], "{:?}", word);
        }
    }

    #[test]
    fn simplified_formula_has_the_same_models(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        let simple = simplify(&mut store, formula);
        for word in &words {
            prop_assert_eq!(
                evaluate(&store, formula, word), evaluate(&store, simple, word),
                "{} became {}", display(&store, formula, Dialect::Spot), display(&store, simple, Dialect::Spot));
        }
    }

    #[test]
    fn printed_formula_reads_back_as_itself(tree in tree()) {
        let (mut store, formula) = store_with(&tree);
        let text = display(&store, formula, Dialect::Spot).to_string();
        let (read, diagnostics) = parse(&mut store, FileId(0), &text, Dialect::Spot);
        prop_assert!(diagnostics.is_empty(), "{} {:?}", text, diagnostics);
        prop_assert_eq!(read, formula, "{}", text);
        // SPIN has no xor and no M; what stands for them is a fixpoint of printing and reading.
        let text = display(&store, formula, Dialect::Spin).to_string();
        let (read, diagnostics) = parse(&mut store, FileId(0), &text, Dialect::Spin);
        prop_assert!(diagnostics.is_empty(), "{} {:?}", text, diagnostics);
        let again = display(&store, read, Dialect::Spin).to_string();
        let (twice, _) = parse(&mut store, FileId(0), &again, Dialect::Spin);
        prop_assert_eq!(read, twice, "{}", text);
    }

    #[test]
    fn spin_notation_keeps_the_models(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        let text = display(&store, formula, Dialect::Spin).to_string();
        let (read, _) = parse(&mut store, FileId(0), &text, Dialect::Spin);
        for word in &words {
            prop_assert_eq!(evaluate(&store, formula, word), evaluate(&store, read, word), "{}", text);
        }
    }

    #[test]
    fn hoa_text_reads_back_as_the_same_automaton(tree in tree()) {
        let (mut store, formula) = store_with(&tree);
        for kind in KINDS {
            let automaton = translate(&mut store, formula, kind).unwrap();
            let text = write_hoa(&automaton);
            let (read, diagnostics) = read_hoa(FileId(0), &text);
            prop_assert!(diagnostics.is_empty(), "{} {:?}", text, diagnostics);
            let read = read.unwrap();
            prop_assert_eq!(&read.states, &automaton.states);
            prop_assert_eq!(&read.propositions, &automaton.propositions);
            prop_assert_eq!((read.initial, read.sets, read.name), (automaton.initial, automaton.sets, automaton.name));
        }
    }

    #[test]
    fn never_claim_reads_back_with_the_same_language(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        let automaton = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        let text = write_never_claim(&automaton).unwrap();
        let (read, diagnostics) = read_never_claim(FileId(0), &text);
        prop_assert!(diagnostics.is_empty(), "{} {:?}", text, diagnostics);
        let read = read.unwrap();
        for word in &words {
            let accepted = accepts(&read, &project(&store, &read, word));
            prop_assert_eq!(accepted, evaluate(&store, formula, word), "{} on {:?}", text, word);
        }
    }

    #[test]
    fn conversion_between_kinds_keeps_the_language(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        for from in KINDS {
            let automaton = translate(&mut store, formula, from).unwrap();
            for to in KINDS {
                let converted = convert(&automaton, to).unwrap();
                prop_assert_eq!(converted.kind, to);
                for word in &words[..5] {
                    let read = project(&store, &automaton, word);
                    prop_assert_eq!(accepts(&converted, &read), accepts(&automaton, &read), "{:?} to {:?}", from, to);
                }
            }
        }
    }

    #[test]
    fn degeneralisation_keeps_to_its_bounds(tree in tree()) {
        let (mut store, formula) = store_with(&tree);
        let generalised = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        let (states, sets) = (generalised.states.len(), generalised.sets.max(1) as usize);
        let one_set = convert(&generalised, AcceptanceKind::Tba).unwrap();
        let on_states = convert(&generalised, AcceptanceKind::Sba).unwrap();
        prop_assert!(one_set.states.len() <= sets * states);
        prop_assert!(on_states.states.len() <= (sets + 1) * states);
    }

    #[test]
    fn stutter_invariance_agrees_with_stuttered_words(
        tree in tree(), words in lassos(), times in prop::collection::vec(any::<u8>(), 8),
    ) {
        let (mut store, formula) = store_with(&tree);
        let answer = formula_stutter_invariance(&mut store, formula);
        prop_assert!(answer != StutterInvariance::Unknown);
        let automaton = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        if classify(&automaton).deterministic {
            let from_automaton = automaton_stutter_invariance(&automaton);
            prop_assert_eq!(from_automaton.holds(), answer.holds());
        }
        if answer.holds() {
            for word in &words {
                let stretched = stuttered(word, &times);
                prop_assert_eq!(evaluate(&store, formula, word), evaluate(&store, formula, &stretched));
            }
        }
    }

    #[test]
    fn classes_say_the_truth_about_the_language(tree in tree(), words in lassos()) {
        let (mut store, formula) = store_with(&tree);
        let automaton = translate(&mut store, formula, AcceptanceKind::Tgba).unwrap();
        let classes = classify(&automaton);
        prop_assert!(!classes.terminal || classes.weak);
        prop_assert!(!classes.weak || classes.inherently_weak);
        for word in &words {
            let read = project(&store, &automaton, word);
            let accepted = accepts(&automaton, &read);
            prop_assert!(!(classes.empty && accepted));
            if classes.safety {
                // All runs are accepting, so acceptance is having a run at all.
                let mut without_sets = automaton.clone();
                without_sets.sets = 0;
                prop_assert_eq!(accepts(&without_sets, &read), accepted);
            }
        }
    }
}

/// Every text is answered, none with a panic.
#[test]
fn readers_survive_any_text() {
    let pieces = [
        "HOA: v1",
        "States: 1",
        "Start: 0",
        "AP: 1 \"a\"",
        "Acceptance: 1 Inf(0)",
        "--BODY--",
        "State: 0 {0}",
        "[0] 0",
        "--END--",
        "(",
        ")",
        "[",
        "]",
        "!",
        "&&",
        "||",
        "->",
        "U",
        "X",
        "G",
        "[]",
        "<>",
        "{",
        "}",
        "\"",
        "never",
        "if",
        "fi",
        "::",
        "goto",
        "a",
        "accept_a:",
        "ä",
        "0",
        "1..2",
        "=",
        "/*",
        "*/",
        "\\",
        "@x",
        "W",
        ";",
        "skip",
        "atomic",
        "Alias: @x",
        "\u{0}",
        "F[",
        "99999999999999999999",
    ];
    let mut seed = 88172645463325252u64;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..12 {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            text.push_str(pieces[seed as usize % pieces.len()]);
            if seed >> 32 & 1 == 0 {
                text.push(' ');
            }
        }
        for dialect in [Dialect::Spin, Dialect::Spot] {
            let mut store = temporal::FormulaStore::new();
            let _ = parse(&mut store, FileId(0), &text, dialect);
        }
        let _ = read_hoa(FileId(0), &text);
        let _ = read_hoa(FileId(0), &format!("HOA: v1 AP: 1 \"a\" Acceptance: 1 Inf(0) --BODY-- {text}"));
        let _ = read_never_claim(FileId(0), &text);
        let _ = read_never_claim(FileId(0), &format!("never {{ {text}"));
    }
}
