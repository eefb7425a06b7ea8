//! Whether a goal that is not proved fails.
//!
//! Where the solver gives up on products, the values that it has are a guess. With the factors fixed to them the question
//! is linear, and its answer tells whether they are a counterexample. A guess that is contradicted says little: the
//! solver is asked for others, a few times, before nothing is known.

use smt::{Answer, ModelValue, Term, Terms, UnknownReason};
use verdict::Reason;

use super::unseen::Question;
use super::written::Vocabulary;
use super::{Proof, Prover, Purpose};
use crate::limits;
use crate::path::Path;
use crate::products::{Factors, hides_products};

/// Terms and the literals that are guessed to be their values.
type Guess = Vec<(Term, Term)>;

/// What is known about a guess.
enum Trial {
    /// It is a counterexample, by these equations.
    Confirmed(Vec<Term>),
    Contradicted,
    Open,
    Stopped(Reason),
}

impl Prover {
    /// Looks at a goal that is not proved, before it is said to fail: values of factors are only a counterexample if
    /// nothing contradicts them once there are no products left.
    pub(crate) fn confirm(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'_>,
        path: &Path,
        goal: Term,
        proof: Proof,
        purpose: Purpose,
    ) -> Proof {
        self.pins.clear();
        let is_doubtful = match proof {
            Proof::Doubtful => true,
            Proof::Open => false,
            other => return other,
        };
        let question = self.ask_with_instances(terms, words, path, goal, purpose);
        let question = question.and_then(|question| self.ask_in_depth(terms, words.meanings, question));
        let Question { facts, goal, unrolled } = match question {
            Ok(question) => question,
            Err(proof) => return proof,
        };
        if hides_products(terms, &facts, goal) {
            return gave_up_on_products();
        }
        if !is_doubtful && !self.products.occur_in(terms, &[goal]) && !self.products.occur_in(terms, &facts) {
            return proof;
        }
        let roots: Vec<Term> = facts.iter().copied().chain([goal]).collect();
        let factors = Factors::of(terms, &roots);
        let facts: Vec<Term> = facts.into_iter().chain(unrolled).collect();
        let mut guesses: Vec<Guess> = Vec::new();
        let mut is_contradicted = false;
        let mut resources = limits::REFUTE_RESOURCES;
        while guesses.len() < limits::GUESSES
            && let Some(guess) = self.guess(terms, path, goal, &factors, &guesses)
        {
            match self.try_guess(terms, &facts, goal, &factors, &guess, resources) {
                Trial::Confirmed(equations) => {
                    // Beside the instances that the question was asked with.
                    self.pins.extend(equations);
                    return Proof::Open;
                }
                Trial::Stopped(reason) => return Proof::Unknown(reason),
                Trial::Contradicted => is_contradicted = true,
                Trial::Open => {}
            }
            guesses.push(guess);
            resources = limits::LATER_GUESS_RESOURCES;
        }
        if is_contradicted || is_doubtful { gave_up_on_products() } else { Proof::Open }
    }

    /// What is known of the values for which the last goal was found to fail: values of factors, and instances.
    pub(crate) fn pins(&self) -> &[Term] {
        &self.pins
    }

    /// Says more about these values.
    pub(crate) fn add_pins(&mut self, pins: &[Term]) {
        self.pins.extend_from_slice(pins);
    }

    /// Values for which the goal may fail: if possible, none of those that matter is one that was tried before.
    fn guess(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        goal: Term,
        factors: &Factors,
        guesses: &[Guess],
    ) -> Option<Guess> {
        let mut wishes: Vec<Term> = Vec::new();
        if guesses.is_empty() {
            wishes.push(terms.true_());
        } else {
            let (mut each, mut some) = (Vec::new(), Vec::new());
            for guess in guesses {
                let is_source = |(term, _): &&(Term, Term)| factors.sources.contains(term);
                let others: Vec<Term> = guess
                    .iter()
                    .filter(is_source)
                    .map(|(term, value)| terms.not_equal(*term, *value))
                    .collect();
                some.push(terms.any(others.iter().copied()));
                each.extend(others);
            }
            wishes.push(terms.all(each));
            wishes.push(terms.all(some));
        }
        let pinned = terms.all(self.pins.iter().copied());
        for wish in wishes {
            let wish = terms.and(wish, pinned);
            let goal = terms.implies(wish, goal);
            let Some(values) = self.model(terms, path, goal, &factors.every) else { continue };
            let mut guess: Guess = Vec::new();
            for (term, value) in factors.every.iter().zip(values) {
                let value = match value {
                    ModelValue::Int(value) => terms.int(value),
                    ModelValue::Real(value) => terms.real(value),
                    _ => continue,
                };
                if terms.sort_of(value) == terms.sort_of(*term) {
                    guess.push((*term, value));
                }
            }
            return Some(guess).filter(|guess| !guesses.contains(guess));
        }
        None
    }

    /// Asks with some of the values fixed: as few as it takes, those that all others follow from, those of all factors,
    /// and all.
    fn try_guess(
        &mut self,
        terms: &mut Terms,
        facts: &[Term],
        goal: Term,
        factors: &Factors,
        guess: &Guess,
        resources: u64,
    ) -> Trial {
        let mut is_contradicted = false;
        for (fixed, has_others) in
            [(&factors.few, false), (&factors.inputs, false), (&factors.all, true), (&factors.every, true)]
        {
            // If some of the values are contradicted already, so are more of them together.
            if is_contradicted && has_others {
                break;
            }
            let pins: Guess = guess.iter().filter(|(term, _)| fixed.contains(term)).copied().collect();
            let equations: Vec<Term> = pins.iter().map(|(term, value)| terms.equal(*term, *value)).collect();
            let replacements = pins.into_iter().collect();
            let mut known = equations.clone();
            known.extend(facts.iter().map(|fact| terms.substitute(*fact, &replacements)));
            let goal = terms.substitute(goal, &replacements);
            if let Some(reason) = self.watch.look() {
                return Trial::Stopped(reason);
            }
            self.leave_path();
            self.session.remark("asked with values fixed");
            let budget = self.at_most(resources);
            match self.session.prove_from(terms, &known, goal, &budget) {
                Answer::Sat | Answer::Unknown(UnknownReason::Incomplete) => {
                    return Trial::Confirmed(equations);
                }
                Answer::Unsat => is_contradicted = true,
                Answer::Unknown(_) => {}
            }
        }
        if is_contradicted { Trial::Contradicted } else { Trial::Open }
    }
}

fn gave_up_on_products() -> Proof {
    gave_up("the solver gave up on products of variables")
}

pub(super) fn gave_up(sentence: &str) -> Proof {
    Proof::Unknown(Reason::GaveUp(sentence.to_string()))
}
