//! Random formulas and words shared by the property tests.
#![allow(dead_code, reason = "each test uses a part of it")]

use proptest::prelude::*;
use temporal::{Automaton, Formula, FormulaStore, Lasso};

/// A formula as a tree that proptest can shrink.
#[derive(Clone, Debug)]
pub(crate) enum Tree {
    Constant(bool),
    Atom(u32),
    Unary(u8, Box<Tree>),
    Binary(u8, Box<Tree>, Box<Tree>),
}

pub(crate) const NAMES: [&str; 3] = ["a", "b", "c"];

pub(crate) fn tree() -> impl Strategy<Value = Tree> {
    let leaf = prop_oneof![1 => any::<bool>().prop_map(Tree::Constant), 12 => (0..3u32).prop_map(Tree::Atom)];
    leaf.prop_recursive(5, 14, 2, |inner| {
        prop_oneof![
            3 => (0u8..4, inner.clone()).prop_map(|(op, a)| Tree::Unary(op, Box::new(a))),
            4 => (0u8..9, inner.clone(), inner).prop_map(|(op, a, b)| Tree::Binary(op, Box::new(a), Box::new(b))),
        ]
    })
}

pub(crate) fn build(store: &mut FormulaStore, tree: &Tree) -> Formula {
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

pub(crate) fn store_with(tree: &Tree) -> (FormulaStore, Formula) {
    let mut store = FormulaStore::with_propositions(NAMES);
    let formula = build(&mut store, tree);
    (store, formula)
}

pub(crate) fn lasso() -> impl Strategy<Value = Lasso> {
    let letter = 0..8u64;
    (prop::collection::vec(letter.clone(), 0..4), prop::collection::vec(letter, 1..5))
        .prop_map(|(stem, cycle)| Lasso { stem, cycle })
}

pub(crate) fn lassos() -> impl Strategy<Value = Vec<Lasso>> {
    prop::collection::vec(lasso(), 20)
}

/// The word as an automaton over a part of the propositions reads it.
pub(crate) fn project(store: &FormulaStore, automaton: &Automaton, word: &Lasso) -> Lasso {
    let place = |name: &String| store.propositions().iter().position(|known| known == name).unwrap();
    let places: Vec<usize> = automaton.propositions.iter().map(place).collect();
    let letter = |letter: &u64| {
        places.iter().enumerate().fold(0, |mask, (bit, place)| mask | (letter >> place & 1) << bit)
    };
    Lasso { stem: word.stem.iter().map(letter).collect(), cycle: word.cycle.iter().map(letter).collect() }
}
