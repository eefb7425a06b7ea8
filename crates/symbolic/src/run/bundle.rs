//! What others may know of a function: its axioms, in a table of terms of their own.

use smt::{Term, Terms};

#[derive(Debug)]
pub(super) struct Bundle {
    terms: Terms,
    axioms: Vec<Term>,
}

impl Bundle {
    pub(super) fn new(from: &Terms, axioms: &[Term]) -> Bundle {
        let mut terms = Terms::new();
        let axioms = terms.import(from, axioms);
        Bundle { terms, axioms }
    }

    /// The axioms as terms of another table.
    pub(super) fn open(&self, into: &mut Terms) -> Vec<Term> {
        into.import(&self.terms, &self.axioms)
    }
}
