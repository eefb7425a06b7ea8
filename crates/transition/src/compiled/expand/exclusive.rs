//! Internal states: what one process does in exclusive control, up to the next ordinary states.

use super::{Expansion, Source};
use crate::compiled::execute::Stop;
use crate::compiled::successors::Stay;
use crate::limits;
use rustc_hash::FxHashMap;
use std::collections::hash_map::Entry;

/// What is still to be done with internal states, the last first: a depth-first search.
pub(super) enum Pending {
    Expand {
        words: Vec<u32>,
        pid: u8,
        log: u32,
        moved: u64,
    },
    /// All that can be reached from the remembered state with this number has been visited.
    Leave(u32),
}

/// The internal states that were met, by words and holder of control.
#[derive(Default)]
pub(super) struct Remembered {
    numbers: FxHashMap<Vec<u32>, u32>,
    /// By number: is the state on the path of the depth-first search? Meeting it again then closes a cycle.
    open: Vec<bool>,
}

impl Remembered {
    pub(super) fn clear(&mut self) {
        self.numbers.clear();
        self.open.clear();
    }

    /// About how many bytes are held, for states of this many words.
    fn bytes(&self, words: usize) -> usize {
        self.open.len() * (words * 2 * size_of::<u32>() + 96)
    }
}

impl Expansion<'_> {
    /// The vector at `start` of the output is an internal state: its holder goes on from there.
    pub(super) fn go_on(&mut self, start: usize, pid: u8, node: u32, moved: u64) -> Result<(), Stop> {
        let mut words = self.pool.pop().unwrap_or_default();
        words.clear();
        words.extend_from_slice(&self.out.words[start..]);
        self.out.words.truncate(start);
        self.pending.push(Pending::Expand { words, pid, log: node, moved });
        if !self.at_start {
            return Ok(());
        }
        self.at_start = false;
        let result = self.settle();
        self.at_start = true;
        result
    }

    /// Expands internal states until none is left, and finds out whether control can stay among them.
    fn settle(&mut self) -> Result<(), Stop> {
        let program = self.evaluator.program;
        while let Some(pending) = self.pending.pop() {
            let (words, pid, log, moved) = match pending {
                Pending::Expand { words, pid, log, moved } => (words, pid, log, moved),
                Pending::Leave(number) => {
                    self.remembered.open[number as usize] = false;
                    continue;
                }
            };
            self.internal += 1;
            let shape = self.evaluator.shapes.get(program.shape_number(&words));
            let source = Source { words: &words, shape, timeout: false, log, moved };
            let is_new = self.internal <= limits::REMEMBER_AFTER || self.is_new(&source, pid)?;
            if is_new && !self.process(&source, usize::from(pid))? {
                self.out.words.extend_from_slice(&words);
                self.file(log, moved);
            }
            self.pool.push(words);
        }
        Ok(())
    }

    /// Remembers an internal state. One that is on the current path closes a cycle. (The first states of a call
    /// are not remembered; a cycle through them is gone round again until it is seen.)
    fn is_new(&mut self, source: &Source<'_>, pid: u8) -> Result<bool, Stop> {
        let hidden = self.evaluator.program.hidden_words as usize;
        let mut key = Vec::with_capacity(source.words.len() - hidden + 1);
        key.extend_from_slice(&source.words[hidden..]);
        key.push(u32::from(pid));
        let number = self.remembered.open.len() as u32;
        let known = match self.remembered.numbers.entry(key) {
            Entry::Occupied(entry) => Some(*entry.get()),
            Entry::Vacant(entry) => {
                entry.insert(number);
                None
            }
        };
        if let Some(known) = known {
            if self.remembered.open[known as usize] {
                self.diverges(source, usize::from(pid), Stay::Sequence);
            }
            return Ok(false);
        }
        self.remembered.open.push(true);
        self.pending.push(Pending::Leave(number));
        if self.internal.is_multiple_of(limits::INTERNAL_STATES_BETWEEN_QUESTIONS)
            && let Some(patience) = self.evaluator.patience
            && !patience(self.remembered.bytes(source.words.len()))
        {
            return Err(Stop::GaveUp);
        }
        Ok(true)
    }
}
