//! What a program sees of permissions of which a wand that was packaged may have taken some.
//!
//! How much a package takes may depend on values of the left-hand side. What is left outside then depends on the
//! constant that stands for its snapshot, a prophecy of what the wand will be applied to. Proofs go through for every
//! value of it. A program whose behaviour does not depend on the prophecy applies the wand to one value, which is
//! prophesied rightly in one of the cases. Yet `perm` and `forperm` would tell the program what is prophesied, and it
//! could apply the wand to something else: no case would be left. So where the result can have an influence, they see
//! some amount that is not more than what is left: at least what no value of the left-hand side takes. Where something
//! is only to be proved, they see what is left.

use smt::{Sort, Term};

use crate::engine::Engine;
use crate::quantifier::mentions;
use crate::state::State;

impl<'p> Engine<'p> {
    /// What `perm` gives for an amount that is held.
    pub(crate) fn seen_amount(&mut self, state: &State, held: Term) -> Term {
        if !self.is_prophecy(state, &[held]) {
            return held;
        }
        let sort = self.encoder.terms.real_sort();
        let seen = self.fresh("perm", sort);
        let zero = self.encoder.terms.zero();
        let terms = &mut self.encoder.terms;
        let bounds = [terms.less_equal(zero, seen), terms.less_equal(seen, held)];
        for bound in bounds {
            self.assume_meaning(bound);
        }
        seen
    }

    /// Whether `forperm` takes a location as held; it may be over constants that stand for variables.
    pub(crate) fn seen_as_held(&mut self, is_doubtful: bool, held: Term, constants: &[Term]) -> Term {
        if !is_doubtful {
            return held;
        }
        let mut arguments = self.surroundings();
        arguments.extend_from_slice(constants);
        let terms = &mut self.encoder.terms;
        let sorts: Vec<Sort> = arguments.iter().map(|argument| terms.sort_of(*argument)).collect();
        let bool_sort = terms.bool_sort();
        let function = terms.fresh_function("forperm", &sorts, bool_sort);
        let seen = terms.apply(function, &arguments);
        terms.and(seen, held)
    }

    /// Whether amounts may depend on what a wand will be applied to, and the program can see them.
    pub(crate) fn is_prophecy(&self, state: &State, amounts: &[Term]) -> bool {
        let prophecies = &self.member.packaging.prophecies;
        // What is consumed is only proved.
        if prophecies.is_empty() || state.reading.is_some() {
            return false;
        }
        let terms = &self.encoder.terms;
        amounts.iter().any(|amount| mentions(terms, *amount, prophecies))
            || self.path.choices().iter().any(|(condition, _)| mentions(terms, *condition, prophecies))
    }
}
