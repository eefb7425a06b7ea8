//! The clock of a search: it counts, reports, and stops the search at its limits.

use std::time::Instant;

use verdict::{Limits, Observer, Progress, Reason, Statistics};

use crate::limits;
use crate::product::{Expansion, Halt, Product, StateId};

/// The bounds, the observer and the statistics of one search.
pub struct Control<'a> {
    limits: &'a Limits,
    observer: &'a mut dyn Observer,
    started: Instant,
    statistics: Statistics,
    /// What the search's own tables held when last looked at.
    own_bytes: usize,
}

impl<'a> Control<'a> {
    /// Starts the clock.
    pub fn new(limits: &'a Limits, observer: &'a mut dyn Observer) -> Self {
        Control { limits, observer, started: Instant::now(), statistics: Statistics::default(), own_bytes: 0 }
    }

    /// Expands a state for the first time, at a depth of the search whose own tables hold `own_bytes()`.
    #[inline]
    pub(crate) fn expand<P: Product>(
        &mut self,
        product: &mut P,
        state: StateId,
        out: &mut Expansion,
        depth: usize,
        own_bytes: impl FnOnce() -> usize,
    ) -> Result<(), Halt> {
        self.statistics.depth = self.statistics.depth.max(depth as u64);
        product.expand(state, out)?;
        self.statistics.transitions += out.edges.len() as u64;
        self.tick(product, own_bytes)
    }

    /// Expands a state again.
    #[inline]
    pub(crate) fn expand_again<P: Product>(
        &mut self,
        product: &mut P,
        state: StateId,
        out: &mut Expansion,
    ) -> Result<(), Halt> {
        product.expand(state, out)?;
        let own_bytes = self.own_bytes;
        self.tick(product, || own_bytes)
    }

    #[inline]
    fn tick<P: Product>(&mut self, product: &P, own_bytes: impl FnOnce() -> usize) -> Result<(), Halt> {
        self.statistics.expansions += 1;
        if self.limits.max_states.is_some_and(|most| product.stored() as u64 > most) {
            return Err(Halt(Reason::StateLimit));
        }
        if self.statistics.expansions.is_multiple_of(limits::EXPANSIONS_BETWEEN_LOOKS) {
            self.own_bytes = own_bytes();
            self.look(product)?;
        }
        Ok(())
    }

    fn look<P: Product>(&mut self, product: &P) -> Result<(), Halt> {
        let memory_bytes = (product.memory_bytes() + self.own_bytes) as u64;
        self.statistics.peak_memory_bytes = self.statistics.peak_memory_bytes.max(memory_bytes);
        if self.statistics.expansions.is_multiple_of(limits::EXPANSIONS_BETWEEN_REPORTS) {
            // Which property this is about is for those to add who know.
            self.observer.observe(&Progress {
                property: String::new(),
                search: (1, 1),
                states: product.stored() as u64,
                transitions: self.statistics.transitions,
                depth: self.statistics.depth,
                memory_bytes: self.statistics.peak_memory_bytes,
                time: self.started.elapsed(),
            });
        }
        if self.limits.is_interrupted() {
            return Err(Halt(Reason::Interrupted));
        }
        if self.limits.max_memory_bytes.is_some_and(|most| memory_bytes > most) {
            return Err(Halt(Reason::MemoryLimit));
        }
        if self.limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Err(Halt(Reason::Timeout));
        }
        Ok(())
    }

    /// Looks once before the first expansion, so that a run that may not start does not.
    pub(crate) fn start<P: Product>(&mut self, product: &mut P) -> Result<Vec<StateId>, Halt> {
        let initial = product.initial()?;
        self.look(product)?;
        Ok(initial)
    }

    /// The statistics up to now.
    pub(crate) fn statistics<P: Product>(&mut self, product: &P, own_bytes: usize) -> Statistics {
        let memory_bytes = (product.memory_bytes() + own_bytes) as u64;
        self.statistics.peak_memory_bytes = self.statistics.peak_memory_bytes.max(memory_bytes);
        self.statistics.states = product.stored() as u64;
        self.statistics.time = self.started.elapsed();
        self.statistics.clone()
    }
}
