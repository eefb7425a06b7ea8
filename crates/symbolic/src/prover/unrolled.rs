//! Asking again with recursive functions in their whole depth, before a goal is said to fail that is about one.
//!
//! Of a recursive function the solver knows one step, or a few, so that what comes after may be anything for it. First it
//! is given all steps that it asks for, which may prove the goal. Then it is told that there are few of them, for ranges
//! and for chains of applications alike (`functions/depth.rs`): what still fails then fails. If nothing does, a counterexample
//! may only be further away, and nothing is known.

use smt::{Answer, Node, Term, Terms, UnknownReason};
use verdict::QuantifierRole;

use super::confirm::gave_up;
use super::reach::reached;
use super::unseen::Question;
use super::{Proof, Prover};
use crate::encode::meaning::Meanings;
use crate::functions::{REVEALED, UNROLLED, deepest};
use crate::limits;

impl Prover {
    /// Definitions of recursive functions for all of their applications.
    pub(crate) fn add_steps(&mut self, axioms: &[Term]) {
        self.steps.extend_from_slice(axioms);
    }

    /// What is known of recursive functions, if there are only few steps.
    pub(crate) fn add_unrolled(&mut self, axioms: &[Term]) {
        self.unrolled.extend_from_slice(axioms);
    }

    /// The question with few steps, if it is about recursive functions and still has a counterexample.
    pub(super) fn ask_in_depth(
        &mut self,
        terms: &mut Terms,
        meanings: &Meanings,
        question: Question,
    ) -> Result<Question, Proof> {
        let roots: Vec<Term> = question.facts.iter().copied().chain([question.goal]).collect();
        let steps = self.reached_of(terms, &roots, &self.steps);
        let unrolled = self.reached_of(terms, &roots, &self.unrolled);
        if !steps.is_empty() {
            if let Some(reason) = self.watch.look() {
                return Err(Proof::Unknown(reason));
            }
            let facts = [&question.facts[..], &steps].concat();
            self.leave_path();
            self.session.remark("asked with all steps of recursive functions");
            let budget = self.at_most(limits::STEP_RESOURCES);
            if self.session.prove_from(terms, &facts, question.goal, &budget) == Answer::Unsat {
                return Err(Proof::Proved);
            }
        }
        if unrolled.is_empty() {
            return Ok(question);
        }
        let deepest = deepest(terms);
        let mut resources = limits::REFUTE_RESOURCES;
        for depth in limits::UNROLLED_STEPS {
            if let Some(reason) = self.watch.look() {
                return Err(Proof::Unknown(reason));
            }
            let depth = terms.int(depth);
            let mut known = vec![terms.equal(deepest, depth)];
            known.extend(&unrolled);
            let facts = [&question.facts[..], &known].concat();
            self.leave_path();
            self.session.remark("asked with few steps of recursive functions");
            let budget = self.at_most(resources);
            resources = limits::FURTHER_STEP_RESOURCES;
            match self.session.prove_from(terms, &facts, question.goal, &budget) {
                Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {
                    self.pins.extend(&known);
                    return Ok(Question { unrolled: known, ..question });
                }
                Answer::Unsat => {}
                Answer::Unknown(_) => break,
            }
        }
        Err(gave_up(&about(terms, meanings, &unrolled)))
    }

    /// Whether a question is about recursive functions.
    pub(super) fn is_recursive(&self, terms: &Terms, facts: &[Term], goal: Term) -> bool {
        let roots: Vec<Term> = facts.iter().copied().chain([goal]).collect();
        !self.reached_of(terms, &roots, &self.unrolled).is_empty()
    }

    /// Those of some axioms that the question reaches.
    fn reached_of(&self, terms: &Terms, roots: &[Term], some: &[Term]) -> Vec<Term> {
        if some.is_empty() {
            return Vec::new();
        }
        let all: Vec<Term> = self.axioms.iter().chain(some).copied().collect();
        let mut found = reached(terms, &all, roots);
        found.retain(|axiom| some.contains(axiom));
        found
    }
}

/// What is not known well enough.
fn about(terms: &Terms, meanings: &Meanings, unrolled: &[Term]) -> String {
    let (mut names, mut opaque): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    for axiom in unrolled {
        let Node::Quantified(quantifier) = terms.node(*axiom) else { continue };
        let QuantifierRole::Function { name, part } = meanings.quantifier(&quantifier.name).role else {
            continue;
        };
        let Some(name) = meanings.spoken(&name).map(|name| format!("`{name}`")) else { continue };
        if part == REVEALED && !opaque.contains(&name) {
            opaque.push(name.clone());
        }
        if [UNROLLED, REVEALED].contains(&part) && !names.contains(&name) {
            names.push(name);
        }
    }
    if names.is_empty() {
        return "too little is known about a sum or count of many terms".to_string();
    }
    let names = names.join(", ");
    let sentence =
        format!("no values were found for which this fails, with {names} unfolded as often as it takes");
    match &opaque[..] {
        [] => sentence,
        [name] => {
            format!("{sentence} ({name} is opaque here: a proof can use its definition where it is revealed)")
        }
        names => {
            let names = names.join(", ");
            format!(
                "{sentence} ({names} are opaque here: a proof can use definitions where they are revealed)"
            )
        }
    }
}
