//! When to stop: a deadline, an interruption, and a limit on terms.
//!
//! Every judgement looks here once for each part that it works on, so that a job ends soon after it should even if it
//! has nothing to ask the solver.

use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use verdict::Reason;

use crate::limits;

#[derive(Clone, Debug)]
pub(crate) struct Watch {
    interrupt: Arc<AtomicBool>,
    deadline: Option<Instant>,
    looks: Cell<u32>,
}

impl Watch {
    pub(crate) fn new(interrupt: Arc<AtomicBool>, time: Option<Duration>) -> Watch {
        let deadline = time.and_then(|time| Instant::now().checked_add(time));
        Watch { interrupt, deadline, looks: Cell::new(0) }
    }

    /// Why to stop now, if there is a reason.
    pub(crate) fn look(&self) -> Option<Reason> {
        if self.interrupt.load(Ordering::Relaxed) {
            return Some(Reason::Interrupted);
        }
        let is_late = self.deadline.is_some_and(|deadline| Instant::now() >= deadline);
        is_late.then_some(Reason::Timeout)
    }

    /// As [`Watch::look`], for places that are passed often.
    pub(crate) fn glance(&self, terms: usize) -> Option<Reason> {
        let looks = self.looks.get().wrapping_add(1);
        self.looks.set(looks);
        if !looks.is_multiple_of(limits::PARTS_BETWEEN_LOOKS) {
            return None;
        }
        if terms > limits::TERMS {
            return Some(Reason::MemoryLimit);
        }
        self.look()
    }

    /// What is left of the time, and at most the given bound.
    pub(crate) fn at_most(&self, patience: Option<Duration>) -> Option<Duration> {
        let left = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        match (left, patience) {
            (Some(left), Some(patience)) => Some(left.min(patience)),
            (left, patience) => left.or(patience),
        }
    }
}
