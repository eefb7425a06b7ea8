//! The engine of one member: its terms, its path, its solver, and the small steps that every judgement uses.

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::typed::{
    ExpressionRef, FunctionId, Local, MethodId, PredicateId, Program, contains_inhale_exhale,
};
use smt::{Sort, Term};
use source::Span;
use verdict::failure::{BranchTaken, Failure, Goal};

use crate::blame::{Blame, Missing, Reason, Stop};
use crate::counterexample::Scene;
use crate::encode::Encoder;
use crate::functions::FunctionTable;
use crate::path::{Path, PathRef};
use crate::prover::{Proof, Prover};
use crate::wands::WandTable;
use crate::watch::Watch;

pub(crate) type Outcome<T> = Result<T, Stop>;

pub(crate) struct Settings {
    pub all_errors: bool,
    pub respect_function_permission_amounts: bool,
    pub counterexamples: bool,
}

/// Members whose contracts or bodies were found not to be well formed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Untrusted {
    pub functions: FxHashSet<FunctionId>,
    pub predicates: FxHashSet<PredicateId>,
    pub methods: FxHashSet<MethodId>,
}

pub(crate) struct Engine<'p> {
    pub program: &'p Program,
    pub encoder: Encoder<'p>,
    pub prover: Prover,
    pub watch: Watch,
    pub path: Path,
    pub functions: FunctionTable,
    pub wands: Arc<WandTable>,
    pub settings: Settings,
    /// Variables of the member, for sorts and names.
    pub locals: Rc<Vec<Local>>,
    /// Constants that stand for variables of the quantifiers around the current point; whatever is fresh there
    /// depends on them.
    pub quantified: Vec<Term>,
    /// How many of `quantified` are parameters of a function and not variables of a quantifier.
    pub parameters: usize,
    /// The wands that are being packaged, and what is known of those that were.
    pub packaging: crate::wands::Packaging,
    /// Contracts that were checked where they are declared are not checked again where they are used.
    pub trusted: bool,
    /// Members whose contracts are not well formed, so that their users check them again.
    pub untrusted: Arc<Untrusted>,
    /// A step is being tried again, with everything that the heap implies.
    pub thorough: bool,
    /// Where the current step began.
    pub scene: Option<Scene>,
    /// A failure is what is hoped for; nobody will read about it.
    pub refuting: bool,
    /// Failures that did not end the work.
    pub failures: Vec<Failure>,
    /// Told what is being proved.
    pub announce: Box<dyn Fn(&Goal) + 'p>,
    pub tables: crate::quantified::Tables,
    /// All axioms that the solver was told, in order.
    pub axioms: Vec<Term>,
    pub known_axioms: FxHashSet<Term>,
    /// Patterns of quantifiers are being evaluated.
    pub in_trigger: bool,
    /// Functions whose definitions are being built: applied by their limited symbols.
    pub recursive: Rc<Vec<FunctionId>>,
    /// Facts that follow from other facts of the path and need not be repeated in axioms.
    pub lemmas: FxHashSet<Term>,
    /// Predicate instances that were unfolded while a function's body was evaluated.
    pub unfolded: Vec<Term>,
    /// Whether permission amounts mean something: inside of functions, only whether there is some permission does.
    pub amounts_matter: bool,
    /// Predicates whose bodies are being produced for an `unfolding`.
    pub opening: Vec<PredicateId>,
    /// No better attempt will follow: failures count.
    pub last_attempt: bool,
    /// Conditional parts of assertions around the current point that are produced or consumed under a guard.
    pub guarded: u32,
    /// The last step was split into cases.
    pub split: bool,
    pub refutations: crate::execute::Refutations,
    /// Whether the contract of the method has been looked at, so that others can rely on its meaning.
    pub contract_checked: bool,
    pub paths: u64,
}

impl Untrusted {
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.predicates.is_empty() && self.methods.is_empty()
    }
}

impl<'p> Engine<'p> {
    /// Ends the work if it is time to. Called once for each part of an assertion or expression.
    pub(crate) fn go_on(&self) -> Outcome<()> {
        match self.watch.glance(self.encoder.terms.count()) {
            Some(reason) => Err(Stop::Unknown(reason)),
            None => Ok(()),
        }
    }

    // ---- assuming and asking ----

    /// Adds a fact to the path. `false` makes everything after it hold.
    pub(crate) fn assume(&mut self, fact: Term) {
        let terms = &self.encoder.terms;
        if terms.is_true(fact) {
            return;
        }
        if let Some((smt::Operator::And, parts)) = terms.as_operation(fact) {
            let parts = parts.to_vec();
            for part in parts {
                self.assume(part);
            }
            return;
        }
        self.path.add(fact);
    }

    /// Whether the path is known to be impossible, without asking the solver.
    pub(crate) fn is_dead(&self) -> bool {
        self.path.knows(self.encoder.terms.false_())
    }

    /// Whether the goal is literally known.
    pub(crate) fn knows(&self, goal: Term) -> bool {
        self.encoder.terms.is_true(goal) || self.path.knows(goal)
    }

    /// Best effort; `false` means nothing.
    pub(crate) fn check(&mut self, goal: Term) -> bool {
        if self.knows(goal) {
            return true;
        }
        if let Some((smt::Operator::And, parts)) = self.encoder.terms.as_operation(goal) {
            let parts = parts.to_vec();
            return parts.into_iter().all(|part| self.check(part));
        }
        self.flush_axioms();
        self.prover.check(&self.encoder.terms, &self.path, goal)
    }

    /// Whether the path is shown to be impossible.
    pub(crate) fn is_infeasible(&mut self) -> bool {
        let goal = self.encoder.terms.false_();
        self.check(goal)
    }

    /// Tells the solver axioms of what was used for the first time.
    pub(crate) fn flush_axioms(&mut self) {
        let axioms = self.encoder.take_axioms();
        if !axioms.is_empty() {
            self.add_axioms(&axioms);
        }
    }

    /// Tells the solver what holds on every path, each axiom once.
    pub(crate) fn add_axioms(&mut self, axioms: &[Term]) {
        for axiom in self.encoder.terms.canonical(axioms) {
            if self.known_axioms.insert(axiom) {
                self.axioms.push(axiom);
                self.prover.assume_globally(&self.encoder.terms, axiom);
            }
        }
    }

    pub(crate) fn prove(&mut self, goal: Term) -> Proof {
        if self.knows(goal) {
            return Proof::Proved;
        }
        if let Some((smt::Operator::And, parts)) = self.encoder.terms.as_operation(goal) {
            let parts = parts.to_vec();
            for part in parts {
                match self.prove(part) {
                    Proof::Proved => {}
                    other => return other,
                }
            }
            return Proof::Proved;
        }
        self.flush_axioms();
        let proof = if self.refuting {
            self.prover.prove_to_refute(&self.encoder.terms, &self.path, goal)
        } else {
            let proof = self.prover.prove(&mut self.encoder.terms, &self.path, goal);
            // What fails in an attempt that is followed by another fails nothing.
            match self.last_attempt {
                true => self.prover.confirm(&mut self.encoder.terms, &self.path, goal, proof),
                false => proof,
            }
        };
        if proof == Proof::Proved {
            self.learn(goal);
        }
        proof
    }

    /// An obligation: proved, or the end of the path. After a failure that does not end the work the goal is assumed.
    pub(crate) fn must(&mut self, goal: Term, blame: &Blame, reason: Reason, part: Span) -> Outcome<()> {
        self.must_with(goal, blame, reason, part, |_| Missing::Nothing)
    }

    /// As [`Engine::must`], with what exactly is missing.
    pub(crate) fn must_with(
        &mut self,
        goal: Term,
        blame: &Blame,
        reason: Reason,
        part: Span,
        missing: impl FnOnce(&mut Self) -> Missing,
    ) -> Outcome<()> {
        if self.knows(goal) {
            return Ok(());
        }
        (self.announce)(&blame.goal(reason, part));
        match self.prove(goal) {
            Proof::Proved => Ok(()),
            Proof::Unknown(reason) => Err(Stop::Unknown(reason)),
            Proof::Open | Proof::Doubtful => {
                let missing = missing(self);
                let mut failure = blame.failure(reason, part);
                let branches = self.path.branches().into_iter();
                failure.branches =
                    branches.map(|(_, condition, holds)| BranchTaken { condition, holds }).collect();
                self.explain(goal, missing, &mut failure);
                if self.settings.all_errors && self.last_attempt {
                    self.failures.push(failure);
                    self.assume(goal);
                    return Ok(());
                }
                Err(Stop::Failed(Box::new(failure)))
            }
        }
    }

    /// Something is wrong on this path whatever the solver says, unless the path is impossible.
    pub(crate) fn fail_unless_dead(&mut self, blame: &Blame, reason: Reason, part: Span) -> Outcome<()> {
        let goal = self.encoder.terms.false_();
        self.must(goal, blame, reason, part)
    }

    /// Remembers that the path is impossible.
    pub(crate) fn learn_never(&mut self) {
        let never = self.encoder.terms.false_();
        self.learn(never);
    }

    /// Keeps a fact that follows from the path.
    pub(crate) fn learn(&mut self, fact: Term) {
        if self.path.add(fact) {
            self.lemmas.insert(fact);
        }
    }

    /// Works with the variables of another member.
    pub(crate) fn with_locals<T>(&mut self, locals: &[Local], work: impl FnOnce(&mut Self) -> T) -> T {
        let saved = std::mem::replace(&mut self.locals, Rc::new(locals.to_vec()));
        let result = work(self);
        self.locals = saved;
        result
    }

    /// Works on expressions that were found to be well defined where they were declared.
    pub(crate) fn trusting<T>(&mut self, work: impl FnOnce(&mut Self) -> T) -> T {
        self.trusting_if(true, work)
    }

    /// As [`Engine::trusting`], for assertions that are consumed. Where what is inhaled differs from what is exhaled,
    /// only what is inhaled was checked where it was declared.
    pub(crate) fn trusting_to_consume<T>(
        &mut self,
        assertions: &[ExpressionRef],
        work: impl FnOnce(&mut Self) -> T,
    ) -> T {
        self.trusting_if(!assertions.iter().any(contains_inhale_exhale), work)
    }

    /// The same, if they really were.
    pub(crate) fn trusting_if<T>(&mut self, trusted: bool, work: impl FnOnce(&mut Self) -> T) -> T {
        let trusted = trusted || self.trusted;
        let saved = std::mem::replace(&mut self.trusted, trusted);
        let result = work(self);
        self.trusted = saved;
        result
    }

    // ---- fresh symbols ----

    /// What new symbols depend on: the snapshots of the left-hand sides that wands are being packaged for, and the
    /// variables of the quantifiers around.
    pub(crate) fn surroundings(&self) -> Vec<Term> {
        self.packaging.lefts.iter().chain(&self.quantified).copied().collect()
    }

    /// A new symbol that depends on everything around that is not fixed.
    pub(crate) fn fresh(&mut self, name: &str, sort: Sort) -> Term {
        let arguments = self.surroundings();
        let terms = &mut self.encoder.terms;
        let sorts: Vec<Sort> = arguments.iter().map(|argument| terms.sort_of(*argument)).collect();
        let function = terms.fresh_function(name, &sorts, sort);
        terms.apply(function, &arguments)
    }

    /// Whether a location depends on a variable of a quantifier around the current point.
    pub(crate) fn varies(&self, location: &[Term]) -> bool {
        let variables = &self.quantified[self.parameters.min(self.quantified.len())..];
        !variables.is_empty()
            && location.iter().any(|term| crate::quantifier::mentions(&self.encoder.terms, *term, variables))
    }

    // ---- scopes ----

    /// Works under a condition; what is learned holds afterwards under the condition.
    pub(crate) fn under<T>(
        &mut self,
        condition: Term,
        work: impl FnOnce(&mut Self) -> Outcome<T>,
    ) -> Outcome<T> {
        if self.encoder.terms.is_true(condition) || self.path.knows(condition) {
            return work(self);
        }
        let outer: PathRef = self.path.open_scope();
        self.assume(condition);
        let result = work(self);
        let facts = self.path.close_scope(&outer);
        for fact in facts {
            let conditional = self.encoder.terms.implies(condition, fact);
            if self.lemmas.contains(&fact) {
                self.learn(conditional);
            } else {
                self.assume_like(fact, conditional);
            }
        }
        result
    }

    /// As [`Engine::simplify`], for what is kept in the heap: inside a conditional part of an assertion the path
    /// assumes more than what will be assumed when the heap is read.
    pub(crate) fn simplify_kept(&mut self, term: Term) -> Term {
        if self.guarded > 0 { term } else { self.simplify(term) }
    }

    /// Replaces choices that the path has already made, as far as a few steps lead.
    pub(crate) fn simplify(&mut self, term: Term) -> Term {
        // A choice that occurs many times is looked at each time, hence the limit.
        self.simplify_to(term, 24, &mut 2000)
    }

    fn simplify_to(&mut self, term: Term, depth: u32, steps: &mut u32) -> Term {
        use smt::Operator::{Add, IfThenElse, Subtract};
        if depth == 0 || *steps == 0 {
            return term;
        }
        *steps -= 1;
        let Some((operator, operands)) = self.encoder.terms.as_operation(term) else { return term };
        match (operator, operands) {
            (IfThenElse, &[condition, then, otherwise]) => {
                if self.knows(condition) {
                    return self.simplify_to(then, depth - 1, steps);
                }
                let negated = self.encoder.terms.not(condition);
                if self.path.knows(negated) {
                    return self.simplify_to(otherwise, depth - 1, steps);
                }
                let then = self.simplify_to(then, depth - 1, steps);
                let otherwise = self.simplify_to(otherwise, depth - 1, steps);
                self.encoder.terms.if_then_else(condition, then, otherwise)
            }
            (Add | Subtract, &[left, right]) => {
                let left = self.simplify_to(left, depth - 1, steps);
                let right = self.simplify_to(right, depth - 1, steps);
                self.encoder.terms.operate(operator, &[left, right])
            }
            _ => term,
        }
    }

    /// Whether the condition, or its negation, holds here: literally, or as far as a quick question tells.
    pub(crate) fn decide(&mut self, condition: Term) -> Option<bool> {
        let negated = self.encoder.terms.not(condition);
        if self.knows(condition) {
            return Some(true);
        }
        if self.knows(negated) {
            return Some(false);
        }
        if self.check(condition) {
            self.learn(condition);
            return Some(true);
        }
        if self.check(negated) {
            self.learn(negated);
            return Some(false);
        }
        None
    }
}
