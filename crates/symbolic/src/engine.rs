//! The engine of one member: the few things that a proof is about, and the small steps that every judgement uses.
//!
//! What is settled before the member is looked at is in [`Run`]; what is found out on one path and known on all, in
//! [`MemberTables`], the encoder and the prover; what is assumed on the way to the current point, in [`Path`]; the modes
//! that a part of an expression is worked on in, in [`Around`]; how a step is tried, in [`Attempt`]; what becomes of it
//! all, in [`Report`].

mod around;
mod report;
mod simplify;

use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::FxHashSet;
use silver::typed::{FunctionId, MethodId, PredicateId, Program};
use smt::Term;
use source::Span;
use verdict::failure::BranchTaken;

pub(crate) use around::Around;
pub(crate) use report::Report;

use crate::attempt::{Attempt, Refuting};
use crate::blame::{Blame, Missing, Reason, Stop};
use crate::encode::Encoder;
use crate::functions::FunctionTable;
use crate::limits;
use crate::path::Path;
use crate::prover::{Proof, Prover, Purpose, Vocabulary};
use crate::quantified::Tables;
use crate::wands::{Packaging, WandTable};

pub(crate) type Outcome<T> = Result<T, Stop>;

pub(crate) struct Settings {
    pub all_errors: bool,
    pub respect_function_permission_amounts: bool,
    pub counterexamples: bool,
    /// Whether the proof chooses the way at an `if` with the annotation `@where_known`.
    pub chooses_where_known: bool,
}

/// Members whose contracts or bodies were found not to be well formed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Untrusted {
    pub functions: FxHashSet<FunctionId>,
    pub predicates: FxHashSet<PredicateId>,
    pub methods: FxHashSet<MethodId>,
}

/// What a run has settled before a member is looked at.
pub(crate) struct Run<'p> {
    pub program: &'p Program,
    pub wands: Arc<WandTable>,
    pub settings: Settings,
    /// Members whose contracts are not well formed, so that their users check them again.
    pub untrusted: Arc<Untrusted>,
}

/// What belongs to the member: found out on one path, and known on all.
pub(crate) struct MemberTables {
    pub functions: FunctionTable,
    /// Functions whose definitions are being built: applied by their limited symbols.
    pub recursive: Rc<Vec<FunctionId>>,
    /// Predicate instances that were unfolded while a function's body was evaluated.
    pub unfolded: Vec<Term>,
    /// Whether permission amounts mean something: inside of functions, only whether there is some permission does.
    pub amounts_matter: bool,
    pub quantified: Tables,
    /// What is known of the wands that were packaged.
    pub packaging: Packaging,
}

/// The engine of one member. Each part is one of the things that a judgement may need to know or change.
pub(crate) struct Engine<'p> {
    pub run: Run<'p>,
    pub encoder: Encoder<'p>,
    pub prover: Prover,
    pub member: MemberTables,
    pub path: Path,
    /// What is around the current point of an expression or assertion.
    pub around: Around,
    /// The step that is being tried.
    pub attempt: Attempt,
    pub report: Report<'p>,
}

impl Untrusted {
    pub(crate) fn is_empty(&self) -> bool {
        self.functions.is_empty() && self.predicates.is_empty() && self.methods.is_empty()
    }
}

impl<'p> Engine<'p> {
    /// Ends the work if it is time to. Called once for each part of an assertion or expression.
    pub(crate) fn go_on(&self) -> Outcome<()> {
        match self.prover.watch().glance(self.encoder.terms.count()) {
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
            self.prover.assume_globally(&self.encoder.terms, axiom);
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
        if self.attempt.scene.is_none() {
            self.prover.begin_step();
        }
        let mut proof = self.ask(goal);
        // The failure of an attempt that is followed by another is not reported, so it needs no confirmation.
        if self.attempt.is_last {
            let sizes = if proof == Proof::Open { self.facts_about_sizes(goal) } else { Vec::new() };
            if sizes.is_empty() {
                proof = self.confirm_failure(goal, proof);
            } else {
                let outer = self.path.open_scope();
                for fact in sizes {
                    self.path.add(fact);
                }
                let with_sizes =
                    self.prover.prove_soon(&self.encoder.terms, &self.path, goal, limits::SOON_RESOURCES);
                let confirmed = with_sizes.map(|proof| self.confirm_failure(goal, proof));
                self.path.close_scope(&outer);
                // Where the laws of differences lead too far, it is looked at without them.
                proof = match confirmed {
                    Some(confirmed) => confirmed,
                    None => self.confirm_failure(goal, proof),
                };
            }
        }
        if self.attempt.is_last
            && proof == Proof::Open
            && self.attempt.refuting != Some(Refuting::AsPrecaution)
        {
            proof = self.confirm_collections(goal);
            if proof == Proof::Open && self.attempt.is_room_doubted {
                let text = "more than all may be held of some reference".to_string();
                proof = Proof::Unknown(verdict::Reason::GaveUp(text));
            }
        }
        if proof == Proof::Proved {
            self.learn(goal);
        }
        proof
    }

    fn ask(&mut self, goal: Term) -> Proof {
        let terms = &mut self.encoder.terms;
        match self.attempt.refuting {
            Some(how) => self.prover.prove_to_refute(terms, &self.path, goal, how),
            None => self.prover.prove(terms, &self.path, goal),
        }
    }

    fn confirm_failure(&mut self, goal: Term, proof: Proof) -> Proof {
        let terms = &mut self.encoder.terms;
        let words = Vocabulary { meanings: &self.encoder.meanings, theories: &self.encoder.theories };
        match self.attempt.refuting {
            Some(how) => self.prover.confirm_refuted(terms, words, &self.path, goal, proof, how),
            None => self.prover.confirm(terms, words, &self.path, goal, proof, Purpose::ToProve),
        }
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
        (self.report.announce)(&blame.goal(reason, part));
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
                // What fails with answers from before is looked at without them: there is no use in going on.
                let goes_on = self.run.settings.all_errors && !self.prover.has_reused();
                if goes_on && self.attempt.is_last && self.attempt.refuting.is_none() {
                    self.report.failures.push(failure);
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
        self.path.learn(fact);
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
