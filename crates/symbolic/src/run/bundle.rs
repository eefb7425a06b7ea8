//! What others may know of a function: its axioms, in a table of terms of their own.

use smt::{Term, Terms, Theories};

use crate::encode::Encoder;
use crate::encode::meaning::Meanings;
use crate::functions::Knowledge;

#[derive(Debug)]
pub(super) struct Bundle {
    terms: Terms,
    /// The functions of collections that occur in it.
    theories: Theories,
    known: Knowledge,
    /// What the names in it stand for.
    meanings: Meanings,
}

impl Bundle {
    pub(super) fn new(from: &Encoder<'_>, known: &Knowledge) -> Bundle {
        let (mut terms, mut theories) = (Terms::new(), Theories::new());
        let all = known.all();
        let meanings = from.meanings.of_terms(&from.terms, &all);
        theories.adopt(&mut terms, &from.theories, &from.terms, &all);
        let known = imported(&mut terms, &from.terms, known);
        Bundle { terms, theories, known, meanings }
    }

    /// The axioms as terms of another table.
    pub(super) fn open(&self, into: &mut Encoder<'_>) -> Knowledge {
        into.meanings.extend(&self.meanings);
        into.theories.adopt(&mut into.terms, &self.theories, &self.terms, &self.known.all());
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
