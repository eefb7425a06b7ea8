//! A product on the tree store, and what the searches cost on it.
//!
//! Dining philosophers: each takes the left fork, then the right one, eats, and puts them back one after the
//! other. All may hold their left forks for ever, unless the last one is told to begin with the right fork.
//! The acceptance condition is that nobody eats any more after some moment, with weak fairness on request.
//! `cargo run --release -p probity-search --example philosophers [philosophers]`
#![allow(clippy::print_stdout)]

use search::{
    Algorithm, Control, Counterexample, Edge, Expansion, Fault, FaultClass, FaultKind, FaultPolicy, Halt,
    Marks, Product, Question, StateId, Strength, run,
};
use store::{Expanded, Inserted, TreeStore};
use verdict::{Limits, Silent};

/// The word of a state that tells whether the automaton has guessed that nobody eats any more.
const GUESSED: usize = 0;

struct Philosophers {
    count: usize,
    /// Whether there is an acceptance condition at all.
    accepting: bool,
    fair: bool,
    /// Whether the last philosopher takes the right fork first.
    ordered: bool,
    store: TreeStore,
    base: Expanded,
    vectors: Vec<u32>,
    movers: Vec<Option<usize>>,
    inserted: Vec<Inserted>,
}

impl Philosophers {
    fn new(count: usize, accepting: bool, fair: bool, ordered: bool) -> Self {
        Philosophers {
            count,
            accepting,
            fair,
            ordered,
            store: TreeStore::new(1 + 2 * count),
            base: Expanded::new(),
            vectors: Vec::new(),
            movers: Vec::new(),
            inserted: Vec::new(),
        }
    }

    /// Appends a successor in which a philosopher is at another place and a fork is taken or not.
    fn push(&mut self, mover: Option<usize>, change: Option<(usize, u32, u32)>, guessed: u32) {
        let from = self.vectors.len();
        self.vectors.extend_from_slice(self.base.words());
        self.vectors[from + GUESSED] = guessed;
        if let (Some(mover), Some((fork, taken, place))) = (mover, change) {
            self.vectors[from + 1 + 2 * mover] = place;
            self.vectors[from + 2 + 2 * fork] = taken;
        }
        self.movers.push(mover);
    }
}

impl Product for Philosophers {
    fn acceptance_sets(&self) -> u32 {
        u32::from(self.accepting) + if self.fair { self.count as u32 } else { 0 }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        Ok(vec![self.store.insert(&vec![0; self.store.width()])?.state])
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        self.store.load(state, &mut self.base);
        self.vectors.clear();
        self.movers.clear();
        self.inserted.clear();
        let guessed = self.base.words()[GUESSED];
        let mut enabled = Marks::NONE;
        for philosopher in 0..self.count {
            let place = self.base.words()[1 + 2 * philosopher];
            let (mut left, mut right) = (philosopher, (philosopher + 1) % self.count);
            if self.ordered && right == 0 {
                (left, right) = (right, left);
            }
            let is_free = |fork: usize| self.base.words()[2 + 2 * fork] == 0;
            let change = match place {
                0 => is_free(left).then_some((left, 1, 1)),
                1 => is_free(right).then_some((right, 1, 2)),
                2 => Some((left, 0, 3)),
                _ => Some((right, 0, 0)),
            };
            if change.is_some() {
                enabled = enabled.union(Marks::one(1 + philosopher as u32));
                // After the guess nobody may begin to eat.
                if guessed == 0 || place != 1 {
                    self.push(Some(philosopher), change, guessed);
                }
                if guessed == 0 && self.accepting {
                    self.push(Some(philosopher), change, 1);
                }
            }
        }
        if enabled.is_empty() {
            out.faults
                .push(Fault { kind: FaultKind { class: FaultClass::InvalidEndState, code: 0 }, edge: None });
            if self.accepting {
                self.push(None, None, guessed);
            }
        }
        self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
        for (inserted, mover) in self.inserted.iter().zip(&self.movers) {
            let mut marks = Marks::NONE;
            if guessed == 1 {
                marks = Marks::one(0);
            }
            if self.fair {
                let moved = mover.map_or(Marks::NONE, |mover| Marks::one(1 + mover as u32));
                let processes = Marks::all(self.acceptance_sets()).without(Marks::one(0));
                marks = marks.union(processes.without(enabled)).union(moved);
            }
            out.edges.push(Edge { target: inserted.state, marks, is_new: inserted.is_new });
        }
        Ok(())
    }

    fn stored(&self) -> usize {
        self.store.len()
    }

    fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
    }
}

fn measure(algorithm: Algorithm, question: Question, model: (usize, bool), fair: bool, policy: FaultPolicy) {
    let (count, ordered) = model;
    let accepting = matches!(question, Question::Acceptance { .. });
    let mut product = Philosophers::new(count, accepting, fair, ordered);
    let limits = Limits::default();
    let mut silent = Silent;
    let mut control = Control::new(&limits, &mut silent);
    let outcome = run(algorithm, question, &mut product, policy, &mut control);
    let statistics = &outcome.statistics;
    let length = match &outcome.counterexample {
        None => "no counterexample".to_owned(),
        Some(Counterexample::Path(path)) => format!("a path of {} steps", path.steps.len()),
        Some(Counterexample::Lasso(lasso)) => {
            format!("a stem of {} and a cycle of {} steps", lasso.stem.steps.len(), lasso.cycle.len())
        }
    };
    println!(
        "{:4} {:6} {:8}: {length}; {} states, {} transitions, {} expansions, depth {}, {:.2} s, \
         {:.0} ns per expansion, {:.1} bytes per state",
        algorithm.name(),
        if fair { "fair" } else { "" },
        outcome.verdict.word(),
        statistics.states,
        statistics.transitions,
        statistics.expansions,
        statistics.depth,
        statistics.seconds(),
        statistics.time.as_nanos() as f64 / statistics.expansions as f64,
        statistics.peak_memory_bytes as f64 / statistics.states as f64,
    );
}

fn main() {
    let count = std::env::args().nth(1).and_then(|word| word.parse().ok()).unwrap_or(9);
    for ordered in [false, true] {
        let model = (count, ordered);
        println!(
            "{count} philosophers{}",
            if ordered { ", one of them told to begin on the right" } else { "" }
        );
        let faults = Question::Faults { shortest: false };
        measure(Algorithm::Dfs, faults, model, false, FaultPolicy::CountAll);
        measure(Algorithm::Bfs, faults, model, false, FaultPolicy::CountAll);
        let weak = Question::Acceptance { strength: Strength::Weak, sets: 1 };
        measure(Algorithm::WeakDfs, weak, model, false, FaultPolicy::Ignore);
        let general = Question::Acceptance { strength: Strength::General, sets: 1 };
        measure(Algorithm::NestedDfs, general, model, false, FaultPolicy::Ignore);
        measure(Algorithm::SetBasedScc, general, model, false, FaultPolicy::Ignore);
        let generalised = Question::Acceptance { strength: Strength::General, sets: 1 + count as u32 };
        measure(Algorithm::SetBasedScc, generalised, model, true, FaultPolicy::Ignore);
    }
}
