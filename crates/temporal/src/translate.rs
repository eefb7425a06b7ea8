//! The whole way from a formula to a small automaton.

use crate::automaton::{AcceptanceKind, Automaton, MAXIMUM_PROPOSITIONS};
use crate::bdd::BddManager;
use crate::formula::{Atom, Formula, FormulaStore, MAXIMUM_DEPTH};
use crate::normal_form::negative_normal_form;
use crate::syntax::{Dialect, display};
use crate::tableau::{Expansion, Tableau, TableauError};

/// Why a formula has no automaton here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TranslationError {
    TooManyPropositions { found: usize },
    TooDeep,
    TooManyStates { limit: usize },
    TooManySets,
}

const MAXIMUM_STATES: usize = 20_000;

/// Translates a formula into an automaton of the wanted kind. Its propositions are those that occur in the
/// formula, in the store's order.
pub fn translate(
    store: &mut FormulaStore,
    formula: Formula,
    kind: AcceptanceKind,
) -> Result<Automaton, TranslationError> {
    if store.depth(formula) > MAXIMUM_DEPTH {
        return Err(TranslationError::TooDeep);
    }
    let atoms: Vec<Atom> = store.atoms(formula);
    if atoms.len() > MAXIMUM_PROPOSITIONS {
        return Err(TranslationError::TooManyPropositions { found: atoms.len() });
    }
    let propositions: Vec<String> = atoms.iter().map(|atom| store.name(*atom).to_owned()).collect();
    let name = display(store, formula, Dialect::Spot).to_string();
    let normal = negative_normal_form(store, formula, false);
    let mut manager = BddManager::new();
    let mut tableau = Tableau::new(store, &mut manager, &atoms);
    let graph = tableau
        .translate(normal, Expansion::Primes, MAXIMUM_STATES, &mut |_, formula| formula)
        .map_err(|error| match error {
            TableauError::TooManyStates => TranslationError::TooManyStates { limit: MAXIMUM_STATES },
            TableauError::TooManySets => TranslationError::TooManySets,
        })?;
    let mut automaton = graph.to_automaton(&mut manager, propositions, kind);
    automaton.name = Some(name);
    Ok(automaton)
}
