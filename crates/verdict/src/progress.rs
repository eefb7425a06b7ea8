//! What a run tells while it works.

use std::time::Duration;

/// A moment of a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// Distinct states stored so far.
    pub states: u64,
    /// Transitions seen so far.
    pub transitions: u64,
    /// The depth of the search at this moment.
    pub depth: u64,
    /// Bytes held by the tables of the search at this moment.
    pub memory_bytes: u64,
    /// Time since the start.
    pub time: Duration,
}

/// Somebody who wants to know how a run gets on. Called every few ten thousand expansions; how often that
/// becomes visible is the observer's affair.
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
