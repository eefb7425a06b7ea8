//! Whether a formula is a safety property: every word that violates it has a beginning that no continuation saves.
//!
//! The *closure* of a language has all words of which every beginning can be continued to one of the language; a language
//! is a safety property exactly if it is its own closure (Alpern and Schneider, 1987). An automaton in which every state
//! leads to an accepting run accepts the closure if acceptance is left out, so the formula is a safety property exactly if
//! that automaton has no word in common with the automaton of the negation.

use crate::automaton::Marks;
use crate::bdd::BddManager;
use crate::formula::{Formula, FormulaStore};
use crate::limits;
use crate::product::are_disjoint;
use crate::prune::remove_useless_states;
use crate::simplify::Simplifier;
use crate::tableau::{Expansion, Tableau};

/// Decides whether a formula is a safety property; none if that is too expensive.
pub fn is_safety(store: &mut FormulaStore, formula: Formula) -> Option<bool> {
    let atoms = store.atoms(formula);
    if store.depth(formula) > limits::DEPTH || atoms.len() > limits::PROPOSITIONS {
        return None;
    }
    let mut simplifier = Simplifier::default();
    let normal = simplifier.simplify(store, formula);
    let negated = simplifier.negate(store, normal);
    let mut manager = BddManager::new();
    let mut tableau = Tableau::new(store, &mut manager, &atoms);
    let graphs = [normal, negated].map(|formula| {
        tableau.translate(formula, Expansion::Primes, limits::STUTTER_STATES, &mut |_, formula| formula).ok()
    });
    let [Some(mut closure), Some(negative)] = graphs else { return None };
    remove_useless_states(&mut closure);
    closure.sets = 0;
    closure.states.iter_mut().flatten().for_each(|edge| edge.marks = Marks::NONE);
    are_disjoint(&closure, &negative, &mut manager)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Dialect, parse};

    fn safety(text: &str) -> Option<bool> {
        let mut store = FormulaStore::default();
        let (formula, diagnostics) = parse(&mut store, source::FileId(0), text, Dialect::Spin);
        assert!(diagnostics.is_empty(), "{text}: {diagnostics:?}");
        is_safety(&mut store, formula)
    }

    #[test]
    fn safety_properties_are_told_from_others() {
        for text in [
            "[] p",
            "p",
            "X X p",
            "true",
            "false",
            "p W q",
            "[] (p -> X q)",
            "[] (p -> [] q)",
            "([] p) || ([] q)",
            "(p U q) || [] p",
            "[] ! (p && <> (q && ! q))",
        ] {
            assert_eq!(safety(text), Some(true), "{text}");
        }
        for text in ["<> p", "p U q", "[] <> p", "<> [] p", "[] (p -> <> q)", "([] p) || <> q", "! (p W q)"] {
            assert_eq!(safety(text), Some(false), "{text}");
        }
    }
}
