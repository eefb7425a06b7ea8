//! What others may know of a function: its axioms, in a table of terms of their own.

use smt::{Term, Terms};

use crate::encode::Encoder;
use crate::encode::meaning::Meanings;
use crate::functions::Knowledge;

#[derive(Debug)]
pub(super) struct Bundle {
    terms: Terms,
    known: Knowledge,
    /// What the names in it stand for.
    meanings: Meanings,
}

impl Bundle {
    pub(super) fn new(from: &Encoder<'_>, known: &Knowledge) -> Bundle {
        let mut terms = Terms::new();
        let meanings = from.meanings.of_terms(&from.terms, &known.all());
        let known = imported(&mut terms, &from.terms, known);
        Bundle { terms, known, meanings }
    }

    /// The axioms as terms of another table.
    pub(super) fn open(&self, into: &mut Encoder<'_>) -> Knowledge {
        into.meanings.extend(&self.meanings);
        imported(&mut into.terms, &self.terms, &self.known)
    }
}

fn imported(into: &mut Terms, from: &Terms, known: &Knowledge) -> Knowledge {
    // Together, so that symbols and variables that both have in common stay the same.
    let mut axioms: Vec<Term> = into.import(from, &known.all());
    let mut steps = axioms.split_off(known.axioms.len());
    let unrolled = steps.split_off(known.steps.len());
    Knowledge { axioms, steps, unrolled }
}
