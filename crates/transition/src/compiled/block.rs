//! Deterministic blocks on packed states: run to their end as one step, or entered where they have none.
//!
//! A block works on finitely many states, so one that does not end comes back to a state that it was in.

use super::evaluate::View;
use super::execute::{Executor, Offer, Stop};
use super::program::{Edge, First};
use crate::limits;
use crate::model::Fault;

/// A state within a block, to be recognised.
#[derive(Default)]
struct Mark {
    location: Option<u32>,
    words: Vec<u32>,
}

impl Executor<'_, '_> {
    /// Runs a deterministic block from its entry to its exit.
    pub(super) fn block(&mut self, pid: usize, block: u32, offer: Option<&Offer<'_>>) -> Result<(), Stop> {
        let program = self.evaluator.program;
        let exit = program.blocks[block as usize].exit;
        if self.block_depth >= limits::BLOCK_DEPTH {
            return Err(Fault::StepDoesNotEnd.into());
        }
        let mut location = program.blocks[block as usize].entry;
        let mut offer = offer;
        let mut mark = Mark::default();
        for steps in 0..program.block_step_limit {
            if location == exit {
                return Ok(());
            }
            if steps >= limits::SUSPICIOUS_STEPS {
                self.still_ends(steps, location, &mut mark)?;
            }
            location = self.block_step(pid, block, location, offer.take())?;
        }
        Err(Fault::StepDoesNotEnd.into())
    }

    /// Executes the first statement of a block and leaves the process behind it, inside.
    pub(super) fn enter(&mut self, pid: usize, edge: &Edge, offer: Option<&Offer<'_>>) -> Result<(), Stop> {
        let First::Block(block) = edge.first else { return Err(Fault::StepDoesNotEnd.into()) };
        let entry = self.evaluator.program.blocks[block as usize].entry;
        let location = self.block_step(pid, block, entry, offer)?;
        self.set_location(pid, location);
        Ok(())
    }

    /// One step within a block; where it leads.
    fn block_step(
        &mut self,
        pid: usize,
        block: u32,
        location: u32,
        offer: Option<&Offer<'_>>,
    ) -> Result<u32, Stop> {
        let view = View::of(self.words, self.shape, pid, self.timeout);
        let found = self.evaluator.block_edge(&view, block, Some(location), offer)?;
        let Some((edge, ready)) = found else { return Err(Fault::BlockInStep.into()) };
        self.block_depth += 1;
        let done = match (offer, &edge.first) {
            (Some(offer), First::Receive(receive)) => {
                self.take_offer(pid, *receive, offer).and_then(|()| self.effects(pid, edge.effects.clone()))
            }
            _ => self.edge(pid, edge, ready),
        };
        self.block_depth -= 1;
        done?;
        Ok(edge.target)
    }

    /// Compares a long block with what it was like before (Brent's way to find a cycle: a mark that is set
    /// anew after each power of two), and asks whether to go on.
    #[cold]
    fn still_ends(&mut self, steps: u64, location: u32, mark: &mut Mark) -> Result<(), Stop> {
        let compared = &self.words[self.evaluator.program.hidden_words as usize..];
        if mark.location == Some(location) && mark.words == compared {
            return Err(Fault::StepDoesNotEnd.into());
        }
        if steps.is_power_of_two() {
            mark.location = Some(location);
            mark.words.clear();
            mark.words.extend_from_slice(compared);
        }
        if steps.is_multiple_of(limits::BLOCK_STEPS_BETWEEN_QUESTIONS) {
            // One failed assertion in a loop is enough.
            self.raised.dedup();
            if self.evaluator.patience.is_some_and(|patience| !patience(0)) {
                return Err(Stop::GaveUp);
            }
        }
        Ok(())
    }
}
