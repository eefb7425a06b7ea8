//! Asking again with instances of quantifiers that the solver never looks at, before a goal is said to fail.
//!
//! They may be in what is assumed, in the goal, or in an axiom or the definition of a function that the question reaches.
//! Where the instances say everything (`witness.rs`), the answer counts. Of other quantifiers the solver knows by itself
//! what follows if an existential one is true, or a universal one false: there is a value. So what fails under the
//! assumption that all of them are like that fails; if it does not, nothing is known.

use rustc_hash::{FxHashMap, FxHashSet};
use smt::{Answer, Node, QuantifierKind, Term, Terms, UnknownReason};

use super::confirm::gave_up;
use super::reach::reached;
use super::witness::{Instances, mentions_unseen, with_body};
use super::{Proof, Prover, facts_of};
use crate::limits;
use crate::path::Path;

/// A question with all that the solver has to be told beside its axioms.
pub(super) struct Question {
    pub facts: Vec<Term>,
    pub goal: Term,
}

/// Axioms with quantifiers that the solver never looks at.
#[derive(Default)]
pub(super) struct UnseenAxioms {
    found: FxHashSet<Term>,
    /// How many of the axioms were looked at.
    seen: usize,
}

impl UnseenAxioms {
    fn look_at(&mut self, terms: &Terms, axioms: &[Term]) -> bool {
        let new = axioms[self.seen..].iter().copied();
        self.found.extend(new.filter(|axiom| mentions_unseen(terms, *axiom)));
        self.seen = axioms.len();
        !self.found.is_empty()
    }
}

impl Prover {
    /// The question as it is to be looked at further, or what is known about its goal.
    pub(super) fn ask_with_instances(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        goal: Term,
    ) -> Result<Question, Proof> {
        let facts = facts_of(path);
        let mut axioms: Vec<Term> = Vec::new();
        if self.unseen.look_at(terms, &self.axioms) {
            let roots: Vec<Term> = facts.iter().copied().chain([goal]).collect();
            axioms = reached(terms, &self.axioms, &roots);
            axioms.retain(|axiom| self.unseen.found.contains(axiom));
        }
        let mut instances = Instances::default();
        let wanted = instances.add_to(terms, goal);
        let mut known: Vec<Term> = facts.iter().map(|fact| instances.add_to(terms, *fact)).collect();
        let defined: Vec<Term> = axioms.iter().map(|axiom| instances.add_to(terms, *axiom)).collect();
        if !instances.found() {
            return Ok(Question { facts, goal });
        }
        if let Some(reason) = self.watch.look() {
            return Err(Proof::Unknown(reason));
        }
        let is_more_assumed = known != facts || defined != axioms;
        known.extend(&defined);
        match self.ask_apart(terms, &known, wanted) {
            // What is assumed of all values, `null` among them, may be too much; whoever wrote it does not want to hear
            // that everything holds behind it. Branches that are never taken are another matter.
            Answer::Unsat if is_more_assumed => {
                let taken = path.branches().into_iter();
                let branches: Vec<Term> =
                    taken.flat_map(|(condition, ..)| [condition, terms.not(condition)]).collect();
                let assumed = facts.iter().filter(|fact| !branches.contains(fact));
                let mut assumed: Vec<Term> = assumed.map(|fact| instances.add_to(terms, *fact)).collect();
                assumed.extend(defined);
                let never = terms.false_();
                match self.ask_apart(terms, &assumed, never) {
                    Answer::Unsat => {
                        return Err(gave_up("what is assumed here may be impossible for some value"));
                    }
                    _ => return Err(Proof::Proved),
                }
            }
            Answer::Unsat => return Err(Proof::Proved),
            Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {}
            _ => return Err(gave_up_on_values()),
        }
        let (mut known, mut wanted) = (known, wanted);
        if instances.partial() != Some(&[]) {
            let partial = instances.partial().ok_or_else(gave_up_on_values)?.to_vec();
            let roots: Vec<Term> = facts.iter().chain(&axioms).copied().collect();
            (known, wanted) = decided(terms, &partial, &roots, goal).ok_or_else(gave_up_on_values)?;
            match self.ask_apart(terms, &known, wanted) {
                Answer::Sat | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic) => {}
                _ => return Err(gave_up_on_values()),
            }
        }
        // What fails with the instances is to be shown, not what fails without them.
        let denied = terms.not(wanted);
        self.pins = known.iter().filter(|fact| !facts.contains(fact)).copied().chain([denied]).collect();
        Ok(Question { facts: known, goal: wanted })
    }

    fn ask_apart(&mut self, terms: &Terms, known: &[Term], wanted: Term) -> Answer {
        self.leave_path();
        self.session.remark("asked with instances of what has no trigger");
        let budget = self.at_most(limits::REFUTE_RESOURCES);
        self.session.prove_from(terms, known, wanted, &budget)
    }
}

/// What is assumed and the goal, if there are values for all quantifiers of which the instances do not say everything,
/// wherever they are reached; `None` where that cannot be said.
fn decided(terms: &mut Terms, partial: &[Term], roots: &[Term], goal: Term) -> Option<(Vec<Term>, Term)> {
    // Once it is said that there are values, these quantifiers are known. The solver would not take those in a definition
    // for the same as those of which it is said.
    let replacements: FxHashMap<Term, Term> = partial
        .iter()
        .filter_map(|part| match terms.node(*part) {
            Node::Quantified(inner) => Some((*part, terms.boolean(inner.kind == QuantifierKind::Exists))),
            _ => None,
        })
        .collect();
    let mut instances = Instances::default();
    let mut put_into = |terms: &mut Terms, root: Term| {
        let replaced = replace_in(terms, root, &replacements);
        instances.add_to(terms, replaced)
    };
    let wanted = put_into(terms, goal);
    let mut known: Vec<Term> = roots.iter().map(|root| put_into(terms, *root)).collect();
    if instances.partial() != Some(&[]) {
        return None;
    }
    for root in roots.iter().chain([&goal]) {
        let parts: FxHashSet<Term> = terms.reachable(&[*root]).into_iter().collect();
        for part in partial.iter().filter(|part| parts.contains(part)) {
            let Node::Quantified(inner) = terms.node(*part).clone() else { continue };
            let body = terms.substitute(inner.body, &replacements);
            let whole = with_body(terms, *part, &inner, body);
            let mut has_value = instances.add_to(terms, whole);
            if inner.kind == QuantifierKind::Forall {
                has_value = terms.not(has_value);
            }
            if !terms.is_closed(*part) {
                has_value = wherever_reached(terms, *root, *part, has_value)?;
            }
            known.push(has_value);
        }
    }
    Some((known, wanted))
}

/// With the replacements also where their variables are those of the outermost quantifier.
fn replace_in(terms: &mut Terms, root: Term, replacements: &FxHashMap<Term, Term>) -> Term {
    match terms.node(root).clone() {
        Node::Quantified(quantifier) if !replacements.contains_key(&root) => {
            let body = terms.substitute(quantifier.body, replacements);
            with_body(terms, root, &quantifier, body)
        }
        _ => terms.substitute(root, replacements),
    }
}

/// What is found about a part of a term, for each instance of the term that triggers lead to; `None` if it has none.
fn wherever_reached(terms: &mut Terms, root: Term, part: Term, found: Term) -> Option<Term> {
    let Node::Quantified(outer) = terms.node(root).clone() else { return None };
    let is_covered = terms.free_variables(part).iter().all(|free| outer.variables.contains(free));
    let is_triggered = outer.kind == QuantifierKind::Forall && !outer.triggers.is_empty();
    (is_covered && is_triggered).then(|| with_body(terms, root, &outer, found))
}

fn gave_up_on_values() -> Proof {
    gave_up("the solver does not look for values of a quantifier that has no trigger")
}
