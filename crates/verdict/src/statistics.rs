//! What a run cost.

use std::time::Duration;

/// The cost of a run, finished or cut short.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Statistics {
    /// Distinct states stored.
    pub states: u64,
    /// Transitions out of the states that were expanded, each state counted once.
    pub transitions: u64,
    /// How often the successors of a state were computed, repeated visits and the search for a readable
    /// counterexample included.
    pub expansions: u64,
    /// How often a worker looked again while it waited for others: for work, or for what another one had to do first.
    pub waits: u64,
    /// The longest path the search held: the depth of its stack, or the number of its levels.
    pub depth: u64,
    /// Time spent.
    pub time: Duration,
    /// The most bytes that the tables of the search held at once, as they count themselves.
    pub peak_memory_bytes: u64,
}

impl Statistics {
    /// Time spent, in seconds.
    pub fn seconds(&self) -> f64 {
        self.time.as_secs_f64()
    }
}
