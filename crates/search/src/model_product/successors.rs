//! The successors of the loaded state: the ordinary ones, and those inside of atomic sequences that are never left.
//!
//! Vectors grow while successors are made, when a process is created for which there is no room. All workers share one
//! width: whoever needs more makes the store wider, and the others follow when they load a state.

use std::time::Instant;

use store::sync::Ordering;
use transition::compiled::Successors;
use verdict::{Limits, Reason};

use super::ModelProduct;
use crate::endless::NoAnswer;
use crate::product::Halt;

/// A successor inside an atomic sequence: its words, who is in control, the marks of fairness.
pub(super) struct Inside {
    pub(super) words: Vec<u32>,
    pub(super) pid: u8,
    pub(super) fair: u64,
}

impl ModelProduct {
    /// The successors of the loaded state, with the store made wider where they need it.
    #[inline]
    pub(super) fn generate(&mut self) -> Result<(), Halt> {
        if self.limits.max_memory_bytes.is_some() {
            self.held.store(self.store.memory_bytes(), Ordering::Relaxed);
        }
        loop {
            self.system.successors(&self.state, self.options.reduction.as_ref(), &mut self.successors);
            if self.successors.gave_up {
                return Err(self.gave_up());
            }
            let Some(needed) = self.successors.needs_width else { return Ok(()) };
            self.widen(needed)?;
        }
    }

    /// Takes over the width that another worker has given to all vectors.
    #[inline]
    pub(super) fn follow_width(&mut self) {
        let width = self.store.width() - self.prefix + self.system.hidden_words();
        if self.system.width() < width {
            self.system.widen(width);
            self.endless.forget();
        }
    }

    fn widen(&mut self, needed: usize) -> Result<(), Halt> {
        let width = needed.max(self.system.width() * 2).next_multiple_of(2);
        self.store.grow_width(width - self.system.hidden_words() + self.prefix)?;
        // Another worker may have asked for more.
        self.follow_width();
        self.state.resize(self.system.width(), 0);
        Ok(())
    }

    /// The limit that ended an expansion.
    fn gave_up(&self) -> Halt {
        Halt(exceeded(&self.limits, 0).unwrap_or(Reason::MemoryLimit))
    }

    /// The successors of the loaded state, and those inside atomic sequences that are never left.
    pub(super) fn generate_open(&mut self) -> Result<(), Halt> {
        loop {
            match self.control() {
                Some(_) => self.successors = Successors::new(),
                None => self.generate()?,
            }
            if self.control().is_none() && self.successors.diverges.is_none() {
                return Ok(());
            }
            let width = self.system.width();
            self.look_inside()?;
            // Where vectors have become wider, the ordinary ones must, too.
            if self.system.width() == width {
                return Ok(());
            }
        }
    }

    /// The internal states that come next in runs that stay inside for ever.
    fn look_inside(&mut self) -> Result<(), Halt> {
        let holder = self.control();
        loop {
            self.inside.clear();
            self.system.inner_successors(&self.state, holder, &mut self.inner);
            if self.inner.gave_up {
                return Err(self.gave_up());
            }
            let mut needed = self.inner.needs_width;
            for index in 0..self.inner.len() {
                let Some(pid) = self.inner.control(index) else { continue };
                match self.endless.can_stay(&mut self.system, self.inner.vector(index), pid) {
                    Ok(false) => {}
                    Ok(true) => self.inside.push(Inside {
                        words: self.inner.vector(index).to_vec(),
                        pid,
                        // Nobody else can move while a process is in exclusive control.
                        fair: match holder {
                            Some(_) => self.all_fair(),
                            None => self.fairness_marks(&self.inner, index),
                        },
                    }),
                    Err(NoAnswer::GaveUp) => return Err(self.gave_up()),
                    Err(NoAnswer::NeedsWidth(width)) => needed = Some(width),
                }
            }
            let Some(needed) = needed else { return Ok(()) };
            self.widen(needed)?;
        }
    }
}

/// Which limit is exceeded by a run that holds this many bytes.
pub(super) fn exceeded(limits: &Limits, bytes: usize) -> Option<Reason> {
    if limits.is_interrupted() {
        return Some(Reason::Interrupted);
    }
    if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Some(Reason::Timeout);
    }
    limits.max_memory_bytes.is_some_and(|most| bytes as u64 > most).then_some(Reason::MemoryLimit)
}
