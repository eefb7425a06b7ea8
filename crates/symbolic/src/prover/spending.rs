//! What an obligation has cost so far, in all the ways in which it was asked.
//!
//! An obligation is asked in other ways where the first one does not lead anywhere, and a step that fails is tried again,
//! for cases one by one. Each of these questions alone keeps to a budget; that they do so together is seen to here: what
//! was spent on a goal within a step is taken off what is left for it.

use std::time::{Duration, Instant};

use rustc_hash::FxHashMap;
use smt::{Budget, Term};

#[derive(Clone, Copy, Default)]
struct Spent {
    resources: u64,
    time: Duration,
}

pub(super) struct Spending {
    /// On the goals of the step before now.
    before: FxHashMap<Term, Spent>,
    goal: Option<Term>,
    /// What may be spent on it.
    all: Budget,
    /// What all questions had cost when work on the goal began.
    counter: u64,
    since: Instant,
}

impl Spending {
    pub(super) fn new(all: Budget) -> Spending {
        Spending { before: FxHashMap::default(), goal: None, all, counter: 0, since: Instant::now() }
    }

    /// Another step begins: what its goals cost is counted from nothing.
    pub(super) fn forget(&mut self) {
        self.before.clear();
        self.goal = None;
    }

    /// Work on a goal begins; `counter` is what all questions have cost until now.
    pub(super) fn begin(&mut self, goal: Term, all: Budget, counter: u64) {
        self.end(counter);
        self.goal = Some(goal);
        self.all = all;
        self.counter = counter;
        self.since = Instant::now();
    }

    /// The goal is done with.
    fn end(&mut self, counter: u64) {
        if let Some(goal) = self.goal.take() {
            let spent = self.before.entry(goal).or_default();
            spent.resources += counter.saturating_sub(self.counter);
            spent.time += self.since.elapsed();
        }
    }

    /// What is left of the budget of the goal.
    pub(super) fn left(&self, counter: u64) -> Budget {
        let before = self.goal.and_then(|goal| self.before.get(&goal)).copied().unwrap_or_default();
        let resources = before.resources + counter.saturating_sub(self.counter);
        let time = before.time + self.since.elapsed();
        Budget {
            resources: self.all.resources.map(|all| all.saturating_sub(resources)),
            wall: self.all.wall.map(|all| all.saturating_sub(time)),
        }
    }
}
