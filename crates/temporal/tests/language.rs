//! The language of every automaton this crate makes is the formula's, shown on random lassos.

use proptest::prelude::*;
use temporal::{AcceptanceKind, Formula, FormulaStore, Lasso, accepts, evaluate, translate};

/// A formula as a tree that proptest can shrink.
#[derive(Clone, Debug)]
enum Tree {
    Constant(bool),
    Atom(u32),
    Unary(u8, Box<Tree>),
    Binary(u8, Box<Tree>, Box<Tree>),
}

fn tree(atoms: u32) -> impl Strategy<Value = Tree> {
    let leaf =
        prop_oneof![1 => any::<bool>().prop_map(Tree::Constant), 12 => (0..atoms).prop_map(Tree::Atom)];
    leaf.prop_recursive(5, 14, 2, |inner| {
        prop_oneof![
            3 => (0u8..4, inner.clone()).prop_map(|(op, a)| Tree::Unary(op, Box::new(a))),
            4 => (0u8..9, inner.clone(), inner).prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
        ]
    })
}

fn build(store: &mut FormulaStore, tree: &Tree) -> Formula {
    match tree {
        Tree::Constant(value) => store.constant(*value),
        Tree::Atom(atom) => store.atom(temporal::Atom(*atom)),
        Tree::Unary(operator, a) => {
            let a = build(store, a);
            match operator {
                0 => store.not(a),
                1 => store.next(a),
                2 => store.eventually(a),
                _ => store.always(a),
            }
        }
        Tree::Binary(operator, a, b) => {
            let (a, b) = (build(store, a), build(store, b));
            match operator {
                0 => store.and([a, b]),
                1 => store.or([a, b]),
                2 => store.implies(a, b),
                3 => store.equivalent(a, b),
                4 => store.xor(a, b),
                5 => store.until(a, b),
                6 => store.release(a, b),
                7 => store.weak_until(a, b),
                _ => store.strong_release(a, b),
            }
        }
    }
}

const NAMES: [&str; 3] = ["a", "b", "c"];

fn lasso(atoms: u32) -> impl Strategy<Value = Lasso> {
    let letter = 0..1u64 << atoms;
    (prop::collection::vec(letter.clone(), 0..4), prop::collection::vec(letter, 1..5))
        .prop_map(|(stem, cycle)| Lasso { stem, cycle })
}

/// The word as an automaton over a part of the propositions reads it.
fn project(store: &FormulaStore, propositions: &[String], word: &Lasso) -> Lasso {
    let positions: Vec<usize> =
        propositions.iter().filter_map(|name| store.propositions().iter().position(|n| n == name)).collect();
    let letter = |letter: &u64| {
        positions.iter().enumerate().fold(0, |mask, (bit, position)| mask | (letter >> position & 1) << bit)
    };
    Lasso { stem: word.stem.iter().map(letter).collect(), cycle: word.cycle.iter().map(letter).collect() }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn automaton_accepts_exactly_the_words_that_satisfy_the_formula(
        tree in tree(3),
        words in prop::collection::vec(lasso(3), 20),
    ) {
        let mut store = FormulaStore::with_propositions(NAMES);
        let formula = build(&mut store, &tree);
        for kind in [AcceptanceKind::Tgba, AcceptanceKind::Sgba, AcceptanceKind::Tba, AcceptanceKind::Sba] {
            let automaton = translate(&mut store, formula, kind).unwrap();
            for word in &words {
                let projected = project(&store, &automaton.propositions, word);
                prop_assert_eq!(
                    accepts(&automaton, &projected), evaluate(&store, formula, word), "{:?} on {:?}", kind, word);
            }
        }
    }
}
