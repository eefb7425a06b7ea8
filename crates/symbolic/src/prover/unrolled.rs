//! Asking again with short ranges, before a goal is said to fail that is about a sum.
//!
//! Of a function that is recursive over a range the solver knows a few steps, so that a sum of many terms may have any
//! value for it. What still fails if all ranges are short and all steps are known fails. If nothing does, the range may
//! only have been too short, and nothing is known.

use smt::{Answer, Term, Terms, UnknownReason};

use super::confirm::gave_up;
use super::reach::reached;
use super::unseen::Question;
use super::{Proof, Prover};
use crate::functions::longest_range;
use crate::limits;

impl Prover {
    /// What is known of functions that are recursive over ranges, if the ranges are short.
    pub(crate) fn add_unrolled(&mut self, axioms: &[Term]) {
        self.unrolled.extend_from_slice(axioms);
    }

    /// The question with short ranges, if it is about any and still has a counterexample.
    pub(super) fn ask_with_short_ranges(
        &mut self,
        terms: &mut Terms,
        question: Question,
    ) -> Result<Question, Proof> {
        if self.unrolled.is_empty() {
            return Ok(question);
        }
        let roots: Vec<Term> = question.facts.iter().copied().chain([question.goal]).collect();
        let all: Vec<Term> = self.axioms.iter().chain(&self.unrolled).copied().collect();
        let mut unrolled = reached(terms, &all, &roots);
        unrolled.retain(|axiom| self.unrolled.contains(axiom));
        if unrolled.is_empty() {
            return Ok(question);
        }
        let longest = longest_range(terms);
        let mut resources = limits::REFUTE_RESOURCES;
        for length in limits::UNROLLED_RANGES {
            if let Some(reason) = self.watch.look() {
                return Err(Proof::Unknown(reason));
            }
            let length = terms.int(length);
            let mut known = vec![terms.equal(longest, length)];
            known.extend(&unrolled);
            let mut facts = question.facts.clone();
            facts.extend(&known);
            self.leave_path();
            self.session.remark("asked with short ranges");
            let budget = self.at_most(resources);
            resources = limits::LONGER_RANGE_RESOURCES;
            match self.session.prove_from(terms, &facts, question.goal, &budget) {
                Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {
                    self.pins.extend(&known);
                    return Ok(Question { unrolled: known, ..question });
                }
                Answer::Unsat => {}
                Answer::Unknown(_) => break,
            }
        }
        Err(gave_up("too little is known about a sum or count of many terms"))
    }
}
