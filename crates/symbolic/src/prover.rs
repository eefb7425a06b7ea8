//! Questions to the solver about the current path.
//!
//! The solver's stack follows the path: before a question it is popped to the nodes that both share, and the rest is
//! pushed. A question is first tried without the solver: literals, known facts, answers given before on this path.

mod asked;
mod borders;
mod confirm;
mod local;
mod named;
mod range;
mod reach;
mod realised;
mod spending;
mod together;
mod unrolled;
mod unseen;
mod values;
mod wider;
mod witness;
mod written;

use rustc_hash::FxHashSet;
use smt::{Answer, Budget, ModelValue, Session, SessionStatistics, Term, Terms, Trust, UnknownReason};
use verdict::Reason;

use crate::attempt::Refuting;
use crate::limits;
use crate::path::Path;
use crate::products::{Products, about_products};
use crate::watch::Watch;
use asked::Asked;
use reach::reached;
use spending::Spending;
use unseen::UnseenAxioms;
use values::ByValues;
pub(crate) use written::Vocabulary;

#[derive(Debug)]
struct Frame {
    node: u64,
    generation: u32,
    sent: usize,
}

pub(crate) struct Prover {
    session: Session,
    frames: Vec<Frame>,
    must: Budget,
    /// What a question costs whose answer only decides how work goes on.
    quick: u64,
    watch: Watch,
    spending: Spending,
    /// What an obligation costs before the solver is asked in another way.
    first: u64,
    products: Products,
    asked: Asked,
    by_values: ByValues,
    /// What holds on every path, in the order in which the solver was told.
    axioms: Vec<Term>,
    known_axioms: FxHashSet<Term>,
    unseen: UnseenAxioms,
    /// Definitions of recursive functions for all applications: what is open is asked again with them.
    steps: Vec<Term>,
    /// That recursive functions have few steps, with which only failures are looked at.
    unrolled: Vec<Term>,
    /// The values of factors for which the last goal was found to fail.
    pins: Vec<Term>,
}

/// What a goal is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Purpose {
    /// It is to hold; but whoever wrote impossible assumptions does not want to hear that everything does.
    ToProve,
    /// It is to fail: that everything follows from what is assumed is what somebody wants to know.
    ToRefute(Refuting),
}

/// What is known about a goal.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Proof {
    Proved,
    /// The solver found a counterexample, or has nothing left to do and no contradiction.
    Open,
    /// The solver gave up on products of variables: there may be a counterexample or not.
    Doubtful,
    /// A limit or a fault: nothing is known.
    Unknown(Reason),
}

impl Prover {
    /// `must` is what a single obligation may cost, `quick` what a question may that is none.
    pub(crate) fn new(session: Session, must: Budget, quick: u64, watch: Watch) -> Prover {
        Prover {
            session,
            frames: Vec::new(),
            must,
            quick,
            watch,
            spending: Spending::new(must),
            first: limits::FIRST_RESOURCES,
            products: Products::default(),
            asked: Asked::default(),
            by_values: ByValues::default(),
            axioms: Vec::new(),
            known_axioms: FxHashSet::default(),
            unseen: UnseenAxioms::default(),
            steps: Vec::new(),
            unrolled: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// What all questions have cost.
    pub(crate) fn statistics(&self) -> SessionStatistics {
        let others = [self.products.statistics(), self.by_values.statistics()];
        others.into_iter().fold(self.session.statistics(), |all, other| SessionStatistics {
            queries: all.queries + other.queries,
            reused: all.reused + other.reused,
            time: all.time + other.time,
            resources: all.resources + other.resources,
            restarts: all.restarts + other.restarts,
        })
    }

    /// Whether answers were taken from before. What such a proof does not show, a proof without them may.
    pub(crate) fn has_reused(&self) -> bool {
        self.statistics().reused > 0
    }

    /// Does something that succeeds where nothing is proved: what is known from before of that is not taken for granted.
    pub(crate) fn trust_proofs_only(&self) -> Option<Trust> {
        self.session.reuse().map(|reuse| reuse.set_trust(reuse.trust().min(Trust::Proofs)))
    }

    /// Goes on as before that.
    pub(crate) fn trust_again(&self, before: Option<Trust>) {
        if let (Some(reuse), Some(trust)) = (self.session.reuse(), before) {
            reuse.set_trust(trust);
        }
    }

    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// Makes the solver assume what the path assumes.
    fn focus(&mut self, terms: &Terms, path: &Path) {
        let chain = path.chain();
        let mut shared = 0;
        while let (Some(frame), Some(node)) = (self.frames.get(shared), chain.get(shared)) {
            if frame.node != node.id || frame.generation != node.generation.get() {
                break;
            }
            shared += 1;
            // Only the last frame can take further facts.
            if frame.sent != node.facts.borrow().len() {
                break;
            }
        }
        if shared < self.frames.len() {
            self.session.pop(self.frames.len() - shared);
            self.frames.truncate(shared);
        }
        if let (Some(frame), Some(node)) =
            (self.frames.last_mut(), shared.checked_sub(1).map(|last| &chain[last]))
        {
            let facts = node.facts.borrow();
            for fact in &facts[frame.sent..] {
                self.session.assert(terms, *fact);
            }
            frame.sent = facts.len();
        }
        for node in &chain[shared..] {
            self.session.push();
            let facts = node.facts.borrow();
            for fact in facts.iter() {
                self.session.assert(terms, *fact);
            }
            self.frames.push(Frame { node: node.id, generation: node.generation.get(), sent: facts.len() });
        }
    }

    /// Begins to work on an obligation, or goes on with it after other attempts.
    fn begin(&mut self, goal: Term, has_products: bool) {
        let mut all = self.must;
        if has_products {
            let most = limits::MUST_PRODUCT_RESOURCES;
            all.resources = Some(all.resources.map_or(most, |all| all.min(most)));
        }
        self.spending.begin(goal, all, self.statistics().resources);
    }

    /// A part of what is left for the obligation that is being worked on. A solver that was killed did not tell what it
    /// spent; its time counts all the same where time is limited.
    fn at_most(&self, resources: u64) -> Budget {
        let left = self.spending.left(self.statistics().resources);
        let resources = left.resources.map_or(resources, |left| left.min(resources));
        Budget { resources: Some(resources), wall: self.watch.at_most(left.wall) }
    }

    /// Whether there is nothing left for the obligation that is being worked on.
    fn is_spent(&self) -> bool {
        let left = self.spending.left(self.statistics().resources);
        left.resources == Some(0) || left.wall.is_some_and(|wall| wall.is_zero())
    }

    /// Another step begins: the obligations before it have nothing to do with those that come.
    pub(crate) fn begin_step(&mut self) {
        self.spending.forget();
    }

    fn ask(&mut self, terms: &Terms, path: &Path, goal: Term, budget: Budget) -> Answer {
        match self.watch.look() {
            Some(Reason::Interrupted) => return Answer::Unknown(UnknownReason::Interrupted),
            Some(_) => return Answer::Unknown(UnknownReason::Timeout),
            None => {}
        }
        if let Some(answer) = self.asked_before(path, goal) {
            return answer;
        }
        self.focus(terms, path);
        let answer = self.session.prove(terms, goal, &budget);
        self.keep_in_mind(path, goal, &answer);
        answer
    }

    /// Best effort with a small budget; `false` means nothing.
    pub(crate) fn check(&mut self, terms: &Terms, path: &Path, goal: Term) -> bool {
        if terms.is_true(goal) || path.knows(goal) {
            return true;
        }
        let budget = Budget { resources: Some(self.quick), wall: self.watch.at_most(self.must.wall) };
        matches!(self.ask(terms, path, goal, budget), Answer::Unsat)
    }

    /// An obligation, with the budget of an obligation.
    pub(crate) fn prove(&mut self, terms: &mut Terms, path: &Path, goal: Term) -> Proof {
        if terms.is_true(goal) || path.knows(goal) {
            return Proof::Proved;
        }
        let has_products = self.products.occur_in(terms, &[goal]);
        self.begin(goal, has_products);
        if self.is_spent() {
            return Proof::Unknown(Reason::Timeout);
        }
        let first = if has_products { self.first.min(limits::FIRST_PRODUCT_RESOURCES) } else { self.first };
        let mut answer = self.ask(terms, path, goal, self.at_most(first));
        if is_open(&answer) && self.follows_by_lemmas(terms, path, goal) {
            return Proof::Proved;
        }
        if answer == Answer::Unknown(UnknownReason::ResourceLimit) {
            answer = self.ask_in_other_ways(terms, path, goal);
            // Where the other way leads to the goal, it is likely to do so again.
            if answer == Answer::Unsat {
                self.first =
                    (self.first / limits::FIRST_RESOURCES_DIVISOR).max(limits::LEAST_FIRST_RESOURCES);
            }
        } else if is_open(&answer) {
            let facts = facts_of(path);
            if self.follows_by_products(terms, &facts, goal, limits::PRODUCT_RESOURCES[0]) {
                answer = Answer::Unsat;
            }
        }
        meaning(answer)
    }

    /// What is known about a goal after a small part of its budget; nothing if that did not lead to an end.
    pub(crate) fn prove_soon(
        &mut self,
        terms: &Terms,
        path: &Path,
        goal: Term,
        resources: u64,
    ) -> Option<Proof> {
        let answer = self.ask(terms, path, goal, self.at_most(resources));
        match meaning(answer) {
            Proof::Unknown(_) => None,
            proof => Some(proof),
        }
    }

    /// Whether the goal is proved once it is said what holds of every product.
    fn follows_by_lemmas(&mut self, terms: &mut Terms, path: &Path, goal: Term) -> bool {
        let facts = facts_of(path);
        let lemmas = about_products(terms, goal, &facts);
        if lemmas.is_empty() {
            return false;
        }
        let lemmas = terms.all(lemmas);
        let goal = terms.implies(lemmas, goal);
        self.session.remark("asked with signs and sizes of products");
        self.ask(terms, path, goal, self.at_most(limits::LEMMA_RESOURCES)) == Answer::Unsat
    }

    /// Whether the goal is proved with the solver's other procedure for arithmetic.
    fn follows_by_products(&mut self, terms: &Terms, facts: &[Term], goal: Term, resources: u64) -> bool {
        if !self.products.occur_in(terms, &[goal]) && !self.products.occur_in(terms, facts) {
            return false;
        }
        let budget = self.at_most(resources);
        self.session.remark("asked with the other procedure for arithmetic");
        let answer = self.products.prove(&self.session, terms, &self.axioms, facts, goal, &budget);
        answer == Answer::Unsat
    }

    /// What is to be refuted: asked with a small budget, since a proof of what is false is not to be expected. What is
    /// open has to be confirmed as every other failure, and what was too costly is not known.
    pub(crate) fn prove_to_refute(
        &mut self,
        terms: &mut Terms,
        path: &Path,
        goal: Term,
        how: Refuting,
    ) -> Proof {
        if terms.is_true(goal) || path.knows(goal) {
            return Proof::Proved;
        }
        let has_products = self.products.occur_in(terms, &[goal]);
        self.begin(goal, has_products);
        let mut answer = self.ask(terms, path, goal, self.at_most(limits::REFUTE_RESOURCES));
        if answer == Answer::Unknown(UnknownReason::ResourceLimit) {
            self.leave_path();
            let budget = self.at_most(limits::REFUTE_RESOURCES);
            answer = self.session.prove_from(terms, &facts_of(path), goal, &budget);
        }
        if matches!(answer, Answer::Unsat | Answer::Sat) {
            return meaning(answer);
        }
        let is_proved = self.follows_by_lemmas(terms, path, goal)
            || self.follows_by_products(terms, &facts_of(path), goal, limits::PRODUCT_RESOURCES[0]);
        match answer {
            _ if is_proved => Proof::Proved,
            Answer::Unknown(UnknownReason::ResourceLimit) if how == Refuting::AsPrecaution => Proof::Open,
            Answer::Unknown(UnknownReason::ResourceLimit) => {
                confirm::gave_up("the solver could neither prove nor refute this")
            }
            answer => meaning(answer),
        }
    }

    /// Looks at what is not proved and so is to count as refuted.
    pub(crate) fn confirm_refuted(
        &mut self,
        terms: &mut Terms,
        words: Vocabulary<'_>,
        path: &Path,
        goal: Term,
        proof: Proof,
        how: Refuting,
    ) -> Proof {
        match self.confirm(terms, words, path, goal, proof, Purpose::ToRefute(how)) {
            Proof::Unknown(Reason::GaveUp(_)) if how == Refuting::AsPrecaution => Proof::Open,
            other => other,
        }
    }

    /// Asks with everything told at once: a solver that is told step by step instantiates what the path assumes before
    /// it knows the goal, and may lose itself there. It may also lose itself for the order of what it is told, so before
    /// everything is spent on one order, the other way round is tried.
    fn ask_in_other_ways(&mut self, terms: &Terms, path: &Path, goal: Term) -> Answer {
        self.leave_path();
        let mut facts = facts_of(path);
        // The last turn is for all that is left.
        for (index, turn) in limits::TURN_RESOURCES.into_iter().chain([u64::MAX]).enumerate() {
            // Before each pair of turns that cost more than the last.
            let products = limits::PRODUCT_RESOURCES.get(index / 2).filter(|_| index % 2 == 0);
            if let Some(resources) = products
                && self.follows_by_products(terms, &facts, goal, *resources)
            {
                return Answer::Unsat;
            }
            if self.is_spent() {
                break;
            }
            let budget = self.at_most(turn);
            let answer = self.session.prove_from(terms, &facts, goal, &budget);
            if answer != Answer::Unknown(UnknownReason::ResourceLimit) {
                return answer;
            }
            facts.reverse();
        }
        Answer::Unknown(UnknownReason::ResourceLimit)
    }

    /// Values for which a goal fails, as far as the solver finds some with a small budget.
    pub(crate) fn model(
        &mut self,
        terms: &Terms,
        path: &Path,
        goal: Term,
        values: &[Term],
    ) -> Option<Vec<ModelValue>> {
        if self.watch.look().is_some() {
            return None;
        }
        self.focus(terms, path);
        let budget =
            Budget { resources: Some(limits::MODEL_RESOURCES), wall: self.watch.at_most(self.must.wall) };
        self.session.prove_with_model(terms, goal, &budget, values).1
    }

    /// Asserts what holds on every path of the session, once.
    pub(crate) fn assume_globally(&mut self, terms: &Terms, axiom: Term) {
        if self.known_axioms.insert(axiom) {
            self.leave_path();
            self.axioms.push(axiom);
            self.session.assert(terms, axiom);
        }
    }

    /// All that the solver was told to hold on every path, in order.
    pub(crate) fn axioms(&self) -> &[Term] {
        &self.axioms
    }

    /// Those of them that may have something to say about terms.
    pub(crate) fn axioms_about(&self, terms: &Terms, roots: &[Term]) -> Vec<Term> {
        reached(terms, &self.axioms, roots)
    }

    /// When to stop.
    pub(crate) fn watch(&self) -> &Watch {
        &self.watch
    }

    /// Makes the solver assume what holds on every path, and nothing else.
    fn leave_path(&mut self) {
        self.session.pop(self.frames.len());
        self.frames.clear();
    }
}

/// All that the path assumes, oldest first.
fn facts_of(path: &Path) -> Vec<Term> {
    path.chain().iter().flat_map(|node| node.facts.borrow().clone()).collect()
}

/// Whether the solver looked at the question and knows neither a proof nor, for sure, a model.
fn is_open(answer: &Answer) -> bool {
    matches!(answer, Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic))
}

/// What an answer says about a proof.
fn meaning(answer: Answer) -> Proof {
    match answer {
        Answer::Unsat => Proof::Proved,
        Answer::Sat | Answer::Unknown(UnknownReason::Incomplete) => Proof::Open,
        Answer::Unknown(UnknownReason::Arithmetic) => Proof::Doubtful,
        Answer::Unknown(UnknownReason::ResourceLimit | UnknownReason::Timeout) => {
            Proof::Unknown(Reason::Timeout)
        }
        Answer::Unknown(UnknownReason::Interrupted) => Proof::Unknown(Reason::Interrupted),
        Answer::Unknown(UnknownReason::Died(why)) => {
            Proof::Unknown(Reason::Internal(format!("the solver stopped: {why}")))
        }
        Answer::Unknown(UnknownReason::Error(why)) => {
            Proof::Unknown(Reason::Internal(format!("the solver did not understand a question: {why}")))
        }
    }
}
