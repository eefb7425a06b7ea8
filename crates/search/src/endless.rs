//! Which states inside atomic sequences and deterministic blocks can be the beginning of an endless stay.
//!
//! A run that never comes to an ordinary state again visits internal states only. There are finitely many,
//! so it can be continued for ever from exactly those that lead to a cycle of internal states; a depth-first
//! search finds out. What it learned is kept, as far as there is room.

use crate::limits;
use rustc_hash::FxHashMap;
use transition::compiled::{Successors, System};

#[derive(Clone, Copy, PartialEq, Eq)]
enum Stay {
    /// The search is below this state.
    Open,
    Forever,
    Ends,
}

/// Why there is no answer.
pub(crate) enum NoAnswer {
    GaveUp,
    /// Vectors must become this wide first.
    NeedsWidth(usize),
}

struct Frame {
    key: Vec<u32>,
    successors: Vec<(Vec<u32>, u8)>,
}

#[derive(Default)]
pub(crate) struct Endless {
    known: FxHashMap<Vec<u32>, Stay>,
    out: Successors,
}

impl Endless {
    /// Vectors have another width from now on.
    pub(crate) fn forget(&mut self) {
        self.known.clear();
    }

    /// Can the holder of exclusive control go on for ever from here without coming to an ordinary state?
    pub(crate) fn can_stay(&mut self, system: &mut System, words: &[u32], pid: u8) -> Result<bool, NoAnswer> {
        if self.known.len() > limits::ENDLESS_ANSWERS {
            self.known.clear();
        }
        let answer = self.search(system, words, pid);
        if answer.is_err() {
            // States are left open.
            self.known.clear();
        }
        answer
    }

    fn search(&mut self, system: &mut System, words: &[u32], pid: u8) -> Result<bool, NoAnswer> {
        let key = key_of(system, words, pid);
        if let Some(known) = self.known.get(&key) {
            return Ok(*known == Stay::Forever);
        }
        let mut visited = 0;
        let mut stack = vec![self.frame(system, key, words, pid)?];
        while let Some(frame) = stack.last_mut() {
            let Some((words, pid)) = frame.successors.pop() else {
                self.known.insert(std::mem::take(&mut frame.key), Stay::Ends);
                stack.pop();
                continue;
            };
            let key = key_of(system, &words, pid);
            match self.known.get(&key) {
                Some(Stay::Open | Stay::Forever) => {
                    for frame in stack {
                        self.known.insert(frame.key, Stay::Forever);
                    }
                    return Ok(true);
                }
                Some(Stay::Ends) => {}
                None => {
                    visited += 1;
                    if visited % limits::ENDLESS_STATES_BETWEEN_QUESTIONS == 0
                        && !system.may_go_on(self.bytes(words.len()))
                    {
                        return Err(NoAnswer::GaveUp);
                    }
                    stack.push(self.frame(system, key, &words, pid)?);
                }
            }
        }
        Ok(false)
    }

    fn frame(
        &mut self,
        system: &mut System,
        key: Vec<u32>,
        words: &[u32],
        pid: u8,
    ) -> Result<Frame, NoAnswer> {
        system.inner_successors(words, Some(pid), &mut self.out);
        if let Some(width) = self.out.needs_width {
            return Err(NoAnswer::NeedsWidth(width));
        }
        if self.out.gave_up {
            return Err(NoAnswer::GaveUp);
        }
        let successors = (0..self.out.len())
            .filter_map(|index| Some((self.out.vector(index).to_vec(), self.out.control(index)?)))
            .collect();
        self.known.insert(key.clone(), Stay::Open);
        Ok(Frame { key, successors })
    }

    fn bytes(&self, words: usize) -> usize {
        self.known.len() * (words * 2 * size_of::<u32>() + 96)
    }
}

fn key_of(system: &System, words: &[u32], pid: u8) -> Vec<u32> {
    let mut key = words[system.hidden_words()..].to_vec();
    key.push(u32::from(pid));
    key
}
