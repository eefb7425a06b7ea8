//! Questions to the solver about the current path.
//!
//! The solver's stack follows the path: before a question it is popped to the nodes that both share, and the rest is
//! pushed. A question is first tried without the solver: literals, known facts, answers given before on this path.

mod confirm;
mod witness;

use smt::{Answer, Budget, ModelValue, Session, SessionStatistics, Term, Terms, UnknownReason};
use verdict::Reason;

use crate::path::Path;
use crate::products::{Products, about_products};
use crate::watch::Watch;

#[derive(Debug)]
struct Frame {
    node: u64,
    generation: u32,
    sent: usize,
}

/// What is spent on explaining a failure.
const MODEL_RESOURCES: u64 = 5_000_000;

/// What is spent on finding a proof of what should have none.
const REFUTE_RESOURCES: u64 = 20_000_000;

/// What an obligation costs at first before the solver is asked in another way.
const FIRST_RESOURCES: u64 = 2_000_000;
const LEAST_FIRST_RESOURCES: u64 = 100_000;
const FIRST_PRODUCT_RESOURCES: u64 = 500_000;

/// What these other ways cost, in turn, before everything is spent on one.
const TURN_RESOURCES: [u64; 4] = [5_000_000, 5_000_000, 40_000_000, 40_000_000];

/// What is spent on a question about products with what is known of all of them.
const LEMMA_RESOURCES: u64 = 500_000;

/// What is spent on a question about products after the usual way failed: at first, and before much is spent.
const PRODUCT_RESOURCES: [u64; 2] = [2_000_000, 20_000_000];

pub(crate) struct Prover {
    session: Session,
    frames: Vec<Frame>,
    must: Budget,
    /// What a question costs whose answer only decides how work goes on.
    quick: u64,
    watch: Watch,
    /// What an obligation costs before the solver is asked in another way.
    first: u64,
    products: Products,
    /// What holds on every path.
    axioms: Vec<Term>,
    /// The values of factors for which the last goal was found to fail.
    pins: Vec<Term>,
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
            first: FIRST_RESOURCES,
            products: Products::default(),
            axioms: Vec::new(),
            pins: Vec::new(),
        }
    }

    /// What all questions have cost.
    pub(crate) fn statistics(&self) -> SessionStatistics {
        let (usual, products) = (self.session.statistics(), self.products.statistics());
        SessionStatistics {
            queries: usual.queries + products.queries,
            time: usual.time + products.time,
            resources: usual.resources + products.resources,
            restarts: usual.restarts + products.restarts,
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

    fn ask(&mut self, terms: &Terms, path: &Path, goal: Term, resources: Option<u64>) -> Answer {
        match self.watch.look() {
            Some(Reason::Interrupted) => return Answer::Unknown(UnknownReason::Interrupted),
            Some(_) => return Answer::Unknown(UnknownReason::Timeout),
            None => {}
        }
        self.focus(terms, path);
        let budget = Budget { resources, wall: self.watch.at_most(self.must.wall) };
        self.session.prove(terms, goal, &budget)
    }

    /// Best effort with a small budget; `false` means nothing.
    pub(crate) fn check(&mut self, terms: &Terms, path: &Path, goal: Term) -> bool {
        if terms.is_true(goal) || path.knows(goal) {
            return true;
        }
        matches!(self.ask(terms, path, goal, Some(self.quick)), Answer::Unsat)
    }

    /// An obligation, with the budget of an obligation.
    pub(crate) fn prove(&mut self, terms: &mut Terms, path: &Path, goal: Term) -> Proof {
        if terms.is_true(goal) || path.knows(goal) {
            return Proof::Proved;
        }
        let first = if self.products.occur_in(terms, &[goal]) {
            self.first.min(FIRST_PRODUCT_RESOURCES)
        } else {
            self.first
        };
        let first = self.must.resources.map_or(first, |all| all.min(first));
        let mut answer = self.ask(terms, path, goal, Some(first));
        if is_open(&answer) && self.follows_by_lemmas(terms, path, goal) {
            return Proof::Proved;
        }
        if answer == Answer::Unknown(UnknownReason::ResourceLimit) {
            answer = self.ask_in_other_ways(terms, path, goal);
            // Where the other way leads to the goal, it is likely to do so again.
            if answer == Answer::Unsat {
                self.first = (self.first / 4).max(LEAST_FIRST_RESOURCES);
            }
        } else if is_open(&answer) {
            let facts = facts_of(path);
            if self.follows_by_products(terms, &facts, goal, PRODUCT_RESOURCES[0]) {
                answer = Answer::Unsat;
            }
        }
        meaning(answer)
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
        let resources = self.must.resources.map_or(LEMMA_RESOURCES, |all| all.min(LEMMA_RESOURCES));
        self.session.remark("asked with signs and sizes of products");
        self.ask(terms, path, goal, Some(resources)) == Answer::Unsat
    }

    /// Whether the goal is proved with the solver's other procedure for arithmetic.
    fn follows_by_products(&mut self, terms: &Terms, facts: &[Term], goal: Term, resources: u64) -> bool {
        if !self.products.occur_in(terms, &[goal]) && !self.products.occur_in(terms, facts) {
            return false;
        }
        let resources = self.must.resources.map_or(resources, |all| all.min(resources));
        let budget = Budget { resources: Some(resources), wall: self.watch.at_most(self.must.wall) };
        self.session.remark("asked with the other procedure for arithmetic");
        let answer = self.products.prove(&self.session, terms, &self.axioms, facts, goal, &budget);
        answer == Answer::Unsat
    }

    /// What is to be refuted: it is enough that there is no proof within reach, however the solver says so.
    pub(crate) fn prove_to_refute(&mut self, terms: &Terms, path: &Path, goal: Term) -> Proof {
        if terms.is_true(goal) || path.knows(goal) {
            return Proof::Proved;
        }
        let resources = self.must.resources.map_or(REFUTE_RESOURCES, |all| all.min(REFUTE_RESOURCES));
        match self.ask(terms, path, goal, Some(resources)) {
            Answer::Unknown(UnknownReason::ResourceLimit) => Proof::Open,
            answer => meaning(answer),
        }
    }

    /// Asks with everything told at once: a solver that is told step by step instantiates what the path assumes before
    /// it knows the goal, and may lose itself there. It may also lose itself for the order of what it is told, so before
    /// everything is spent on one order, the other way round is tried.
    fn ask_in_other_ways(&mut self, terms: &Terms, path: &Path, goal: Term) -> Answer {
        self.leave_path();
        let mut facts = facts_of(path);
        for (index, turn) in TURN_RESOURCES.map(Some).into_iter().chain([None]).enumerate() {
            // Before each pair of turns that cost more than the last.
            let products = PRODUCT_RESOURCES.get(index / 2).filter(|_| index % 2 == 0);
            if let Some(resources) = products
                && self.follows_by_products(terms, &facts, goal, *resources)
            {
                return Answer::Unsat;
            }
            let resources = match (turn, self.must.resources) {
                (Some(some), Some(all)) => Some(some.min(all)),
                (some, all) => some.or(all),
            };
            let budget = Budget { resources, wall: self.watch.at_most(self.must.wall) };
            let answer = self.session.prove_from(terms, &facts, goal, &budget);
            if answer != Answer::Unknown(UnknownReason::ResourceLimit) || resources == self.must.resources {
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
        let budget = Budget { resources: Some(MODEL_RESOURCES), wall: self.watch.at_most(self.must.wall) };
        self.session.prove_with_model(terms, goal, &budget, values).1
    }

    /// Asserts what holds on every path of the session.
    pub(crate) fn assume_globally(&mut self, terms: &Terms, axiom: Term) {
        self.leave_path();
        self.axioms.push(axiom);
        self.session.assert(terms, axiom);
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
