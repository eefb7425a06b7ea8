//! Whether a goal that is not proved fails.
//!
//! Where the solver gives up on products, the values that it has are a guess. With the factors fixed to them the question
//! is linear, and its answer tells whether they are a counterexample. A guess that is contradicted says little: the
//! solver is asked for others, a few times, before nothing is known.

use smt::{Answer, Budget, ModelValue, Term, Terms, UnknownReason};
use verdict::Reason;

use super::witness::Instances;
use super::{Proof, Prover, facts_of};
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
    pub(crate) fn confirm(&mut self, terms: &mut Terms, path: &Path, goal: Term, proof: Proof) -> Proof {
        self.pins.clear();
        let is_doubtful = match proof {
            Proof::Doubtful => true,
            Proof::Open => false,
            other => return other,
        };
        let facts = facts_of(path);
        let taken = path.branches().into_iter();
        let branches: Vec<Term> =
            taken.flat_map(|(condition, ..)| [condition, terms.not(condition)]).collect();
        if let Some(proof) = self.confirm_with_instances(terms, &facts, &branches, goal) {
            return proof;
        }
        if hides_products(terms, &facts, goal) {
            return gave_up_on_products();
        }
        if !is_doubtful && !self.products.occur_in(terms, &[goal]) && !self.products.occur_in(terms, &facts) {
            return proof;
        }
        let roots: Vec<Term> = facts.iter().copied().chain([goal]).collect();
        let factors = Factors::of(terms, &roots);
        let mut guesses: Vec<Guess> = Vec::new();
        let mut is_contradicted = false;
        let mut resources = limits::REFUTE_RESOURCES;
        while guesses.len() < limits::GUESSES
            && let Some(guess) = self.guess(terms, path, goal, &factors, &guesses)
        {
            match self.try_guess(terms, &facts, goal, &factors, &guess, resources) {
                Trial::Confirmed(equations) => {
                    self.pins = equations;
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

    /// Asks again where the solver does not look at what quantifiers say, with instances of them. `None` leaves the
    /// answer as it is.
    fn confirm_with_instances(
        &mut self,
        terms: &mut Terms,
        facts: &[Term],
        branches: &[Term],
        goal: Term,
    ) -> Option<Proof> {
        let mut instances = Instances::new();
        let known: Vec<Term> = facts.iter().map(|fact| instances.add_to(terms, *fact)).collect();
        let wanted = instances.add_to(terms, goal);
        if !instances.found() {
            return None;
        }
        if let Some(reason) = self.watch.look() {
            return Some(Proof::Unknown(reason));
        }
        self.leave_path();
        self.session.remark("asked with instances of what has no trigger");
        let resources =
            self.must.resources.map_or(limits::REFUTE_RESOURCES, |all| all.min(limits::REFUTE_RESOURCES));
        let budget = Budget { resources: Some(resources), wall: self.watch.at_most(self.must.wall) };
        match self.session.prove_from(terms, &known, wanted, &budget) {
            // What is assumed of all values, `null` among them, may be too much; whoever wrote it does not want to hear
            // that everything holds behind it. Branches that are never taken are another matter.
            Answer::Unsat if known != facts => {
                let never = terms.false_();
                let is_assumed = |fact: &&Term| !branches.contains(fact);
                let assumed: Vec<Term> = facts.iter().filter(is_assumed).copied().collect();
                let assumed: Vec<Term> =
                    assumed.into_iter().map(|fact| instances.add_to(terms, fact)).collect();
                match self.session.prove_from(terms, &assumed, never, &budget) {
                    Answer::Unsat => Some(gave_up("what is assumed here may be impossible for some value")),
                    _ => Some(Proof::Proved),
                }
            }
            Answer::Unsat => Some(Proof::Proved),
            _ if instances.is_complete() => {
                // What fails with the instances is to be shown, not what fails without them.
                let denied = terms.not(wanted);
                self.pins =
                    known.iter().filter(|fact| !facts.contains(fact)).copied().chain([denied]).collect();
                None
            }
            _ => Some(gave_up("the solver does not look for values of a quantifier that has no trigger")),
        }
    }

    /// What is known of the values for which the last goal was found to fail: values of factors, and instances.
    pub(crate) fn pins(&self) -> &[Term] {
        &self.pins
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
        for wish in wishes {
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
        let resources = self.must.resources.map_or(resources, |all| all.min(resources));
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
            let budget = Budget { resources: Some(resources), wall: self.watch.at_most(self.must.wall) };
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

fn gave_up(sentence: &str) -> Proof {
    Proof::Unknown(Reason::GaveUp(sentence.to_string()))
}
