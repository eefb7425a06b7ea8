//! What a run tells while it works.

use std::time::Duration;

use crate::Statistics;

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// The properties that the search is about, as they are named in the report.
    pub property: String,
    /// Which search of the run it is, and how many there are.
    pub search: (usize, usize),
    /// Distinct states stored so far.
    pub states: u64,
    /// Transitions seen so far.
    pub transitions: u64,
    /// The longest path the search has held up to now.
    pub depth: u64,
    /// The most bytes that the tables of the search have held up to now.
    pub memory_bytes: u64,
    /// Time since the start of the search.
    pub time: Duration,
}

impl Progress {
    /// The same numbers as those of a finished search.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            states: self.states,
            transitions: self.transitions,
            depth: self.depth,
            time: self.time,
            peak_memory_bytes: self.memory_bytes,
            ..Statistics::default()
        }
    }
}

/// Is told how a run gets on. Called every few ten thousand expansions; the observer decides how often that is
/// shown.
pub trait Observer {
    /// Takes note.
    fn observe(&mut self, progress: &Progress);
}

/// An observer that does not look.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn observe(&mut self, _progress: &Progress) {}
}
