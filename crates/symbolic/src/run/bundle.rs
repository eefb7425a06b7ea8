//! What others may know of a function: its axioms, in a table of terms of their own.

use smt::{Term, Terms};

use crate::functions::Knowledge;

#[derive(Debug)]
pub(super) struct Bundle {
    terms: Terms,
    known: Knowledge,
}

impl Bundle {
    pub(super) fn new(from: &Terms, known: &Knowledge) -> Bundle {
        let mut terms = Terms::new();
        let known = imported(&mut terms, from, known);
        Bundle { terms, known }
    }

    /// The axioms as terms of another table.
    pub(super) fn open(&self, into: &mut Terms) -> Knowledge {
        imported(into, &self.terms, &self.known)
    }
}

fn imported(into: &mut Terms, from: &Terms, known: &Knowledge) -> Knowledge {
    // Together, so that symbols and variables that both have in common stay the same.
    let all: Vec<Term> = known.axioms.iter().chain(&known.unrolled).copied().collect();
    let mut axioms = into.import(from, &all);
    let unrolled = axioms.split_off(known.axioms.len());
    Knowledge { axioms, unrolled }
}
