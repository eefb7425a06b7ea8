//! What others may know of a function: its axioms, in a table of terms of their own.

use smt::{Term, Terms};

use crate::encode::Encoder;
use crate::encode::meaning::Meanings;

#[derive(Debug)]
pub(super) struct Bundle {
    terms: Terms,
    axioms: Vec<Term>,
    /// What the names in them stand for.
    meanings: Meanings,
}

impl Bundle {
    pub(super) fn new(from: &Encoder<'_>, axioms: &[Term]) -> Bundle {
        let mut terms = Terms::new();
        let meanings = from.meanings.of_terms(&from.terms, axioms);
        let axioms = terms.import(&from.terms, axioms);
        Bundle { terms, axioms, meanings }
    }

    /// The axioms as terms of another table.
    pub(super) fn open(&self, into: &mut Encoder<'_>) -> Vec<Term> {
        into.meanings.extend(&self.meanings);
        into.terms.import(&self.terms, &self.axioms)
    }
}
