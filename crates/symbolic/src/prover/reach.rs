//! Which of the axioms a question is about.
//!
//! The solver is told definitions of functions and axioms of domains once, for all questions. One of them can only matter
//! for a question if its triggers can be matched: by what is asked, or by what other such axioms say. That is looked at
//! by symbols, so that too many are found and never too few.

use rustc_hash::FxHashSet;
use smt::{Function, Node, Quantifier, QuantifierKind, Term, Terms};

/// Those axioms that may have something to say about the roots, in their order.
pub(super) fn reached(terms: &Terms, axioms: &[Term], roots: &[Term]) -> Vec<Term> {
    reached_by(terms, axioms, roots, &|_| false)
}

/// The same where some quantifiers say something wherever a symbol of their bodies is, whatever their triggers are.
pub(super) fn reached_by(
    terms: &Terms,
    axioms: &[Term],
    roots: &[Term],
    is_wide: &dyn Fn(&Quantifier) -> bool,
) -> Vec<Term> {
    let mut symbols = symbols_of(terms, roots);
    let mut is_reached = vec![false; axioms.len()];
    loop {
        let mut is_done = true;
        for (axiom, is_reached) in axioms.iter().zip(&mut is_reached) {
            if !*is_reached && speaks_of(terms, *axiom, &symbols, is_wide) {
                symbols.extend(symbols_of(terms, &[*axiom]));
                *is_reached = true;
                is_done = false;
            }
        }
        if is_done {
            return axioms.iter().zip(is_reached).filter(|(_, is)| *is).map(|(axiom, _)| *axiom).collect();
        }
    }
}

/// Whether an axiom can be instantiated where these symbols are applied; one without triggers, if it shares a symbol or
/// has none.
fn speaks_of(
    terms: &Terms,
    axiom: Term,
    symbols: &FxHashSet<Function>,
    is_wide: &dyn Fn(&Quantifier) -> bool,
) -> bool {
    if let Node::Quantified(quantifier) = terms.node(axiom)
        && quantifier.kind == QuantifierKind::Forall
        && !quantifier.triggers.is_empty()
        && !is_wide(quantifier)
    {
        return quantifier.triggers.iter().any(|trigger| symbols_of(terms, trigger).is_subset(symbols));
    }
    let own = symbols_of(terms, &[axiom]);
    own.is_empty() || !own.is_disjoint(symbols)
}

fn symbols_of(terms: &Terms, roots: &[Term]) -> FxHashSet<Function> {
    let parts = terms.reachable(roots).into_iter();
    parts.filter_map(|term| terms.as_application(term)).map(|(function, _)| function).collect()
}
