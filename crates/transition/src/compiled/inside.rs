//! Steps that one process may take alone, taken inside the expansion of the state before them.
//!
//! The state itself is expanded fully. Each of its successors is followed, depth first, through the steps of the one
//! process that may move alone there, as long as there is one. Handed out are the states where there is none, and those
//! that are met again while they are on the path. So the steps inside form no cycle: a process that has to wait for them can
//! move in the next state that is handed out. This is condition *wellfounded* of Brunner and Lammich (JAR 2018,
//! section 2.1) by construction, with states told apart by whether they were handed out or passed inside.
//!
//! What is handed out depends on the state alone, the bound on the steps inside included.

use super::System;
use super::ample::Reduction;
use super::expand::Wanted;
use super::log::Log;
use super::successors::{Divergence, Step, Successors};
use crate::limits;
use rustc_hash::{FxHashMap, FxHasher};
use std::hash::Hasher;

/// Buffers that are kept between calls.
#[derive(Default)]
pub(super) struct Inside {
    /// The states passed inside, and those behind them that were handed out: their words one after another.
    words: Vec<u32>,
    met: Vec<Met>,
    /// By hash, the last state that has it.
    numbers: FxHashMap<u64, u32>,
    frames: Vec<Frame>,
    /// Vectors that are to be followed, those of each frame behind those of the frame before, and their nodes in the log.
    pending: Vec<u32>,
    nodes: Vec<u32>,
    /// What one call of the successor function gives.
    found: Successors,
    /// Who makes the first step: of each successor of the state that is expanded.
    first_steps: Vec<Step>,
    /// The vector that is looked at.
    vector: Vec<u32>,
    log: Log,
    /// States that may still be left by steps inside.
    left: u32,
    /// States left by steps inside since it was last asked whether to go on.
    unasked: u32,
}

/// A state that was met inside.
struct Met {
    /// Another one with the same hash.
    namesake: Option<u32>,
    /// Are we still below it?
    is_open: bool,
    is_handed_out: bool,
}

/// A state whose successors are followed.
struct Frame {
    number: u32,
    /// The first of its vectors among the pending ones, the next that is to be followed, the end of all.
    first: usize,
    next: usize,
    end: usize,
}

/// Why there are no successors.
enum Obstacle {
    NeedsWidth(usize),
    GaveUp,
}

impl Inside {
    pub(super) fn log(&self) -> &Log {
        &self.log
    }

    fn clear(&mut self) {
        self.words.clear();
        self.met.clear();
        if !self.numbers.is_empty() {
            self.numbers.clear();
        }
        self.frames.clear();
        self.pending.clear();
        self.nodes.clear();
        self.log.clear();
        self.left = limits::STEPS_INSIDE;
    }

    /// The number of the vector that is looked at, if the state was met before.
    fn number(&self, hidden: usize, hash: u64) -> Option<u32> {
        let width = self.vector.len();
        let mut candidate = self.numbers.get(&hash).copied();
        while let Some(number) = candidate {
            let at = number as usize;
            if self.words[at * width + hidden..(at + 1) * width] == self.vector[hidden..] {
                return Some(number);
            }
            candidate = self.met[at].namesake;
        }
        None
    }

    /// Gives the vector that is looked at the next number.
    fn add(&mut self, hash: u64) -> u32 {
        let number = self.met.len() as u32;
        self.words.extend_from_slice(&self.vector);
        let namesake = self.numbers.insert(hash, number);
        self.met.push(Met { namesake, is_open: false, is_handed_out: false });
        number
    }

    /// The vectors that were found are to be followed: the successors of the state with this number.
    fn enter(&mut self, number: u32) {
        self.met[number as usize].is_open = true;
        let first = self.pending.len() / self.vector.len().max(1);
        self.pending.extend_from_slice(self.found.vectors());
        self.frames.push(Frame { number, first, next: first, end: first + self.found.len() });
    }

    /// The last frame is done.
    fn leave(&mut self) {
        if let Some(frame) = self.frames.pop() {
            self.met[frame.number as usize].is_open = false;
            self.pending.truncate(frame.first * self.vector.len());
            self.nodes.truncate(frame.first);
        }
    }

    /// Hands out the vector that is looked at, the pending one with this index.
    fn hand_out(&mut self, index: usize, out: &mut Successors) {
        out.words.extend_from_slice(&self.vector);
        // The frame of the state itself has gone on to the next.
        out.steps.push(self.first_steps[self.frames[0].next - 1]);
        if let Some(node) = self.nodes.get(index) {
            self.log.of_steps.push(*node);
        }
    }

    /// A state was met again. What is behind it is handed out anyway, unless we are still on the way there.
    fn meet_again(&mut self, number: u32, index: usize, out: &mut Successors) {
        let met = &mut self.met[number as usize];
        if met.is_open && !std::mem::replace(&mut met.is_handed_out, true) {
            self.hand_out(index, out);
        }
    }

    /// Notes the micro steps that were found behind a node of the log, if they were asked for.
    fn note(&mut self, log: &Log, node: u32) {
        if log.wanted {
            let moved = self.log.graft(log, node);
            self.nodes.extend(log.of_steps.iter().map(|node| moved(*node)));
            self.log.of_faults.extend(log.of_faults.iter().map(|node| moved(*node)));
        }
    }
}

impl System {
    /// Fills `out` with the states that are handed out behind an ordinary one.
    pub(super) fn follow_inside(&mut self, state: &[u32], reduction: &Reduction, out: &mut Successors) {
        let mut inside = std::mem::take(&mut self.inside);
        if let Err(obstacle) = self.follow(&mut inside, state, reduction, out) {
            out.clear(state.len());
            match obstacle {
                Obstacle::NeedsWidth(words) => out.needs_width = Some(words),
                Obstacle::GaveUp => out.gave_up = true,
            }
        }
        self.inside = inside;
    }

    fn follow(
        &mut self,
        inside: &mut Inside,
        state: &[u32],
        reduction: &Reduction,
        out: &mut Successors,
    ) -> Result<(), Obstacle> {
        let hidden = self.hidden_words();
        inside.clear();
        self.expand_once(inside, state, Wanted::Ordinary(None))?;
        out.take_all_but_steps(&mut inside.found);
        inside.note(self.scratch.log(), 0);
        inside.first_steps.clone_from(&inside.found.steps);
        inside.vector.clear();
        inside.vector.extend_from_slice(state);
        inside.add(hash_of(&state[hidden..]));
        inside.enter(0);
        while let Some(frame) = inside.frames.last_mut() {
            if frame.next == frame.end {
                inside.leave();
                continue;
            }
            let index = frame.next;
            frame.next += 1;
            self.look_at(inside, index, reduction, out)?;
        }
        Ok(())
    }

    /// Follows the pending vector with this index, or hands it out.
    fn look_at(
        &mut self,
        inside: &mut Inside,
        index: usize,
        reduction: &Reduction,
        out: &mut Successors,
    ) -> Result<(), Obstacle> {
        let (width, hidden) = (inside.vector.len(), self.hidden_words());
        inside.vector.clear();
        inside.vector.extend_from_slice(&inside.pending[index * width..(index + 1) * width]);
        // In most states no process may move alone. Direct successors are looked up only where one may:
        // handing out one of the others twice does no harm.
        let is_direct = inside.frames.len() == 1;
        let looks_up_first = !is_direct || inside.left == 0;
        if looks_up_first && let Some(number) = inside.number(hidden, hash_of(&inside.vector[hidden..])) {
            inside.meet_again(number, index, out);
            return Ok(());
        }
        let is_followed = inside.left > 0 && {
            let vector = std::mem::take(&mut inside.vector);
            let done = self.expand_once(inside, &vector, Wanted::Alone(reduction));
            inside.vector = vector;
            done?;
            inside.found.reduced
        };
        if is_direct && !is_followed {
            inside.hand_out(index, out);
            return Ok(());
        }
        let hash = hash_of(&inside.vector[hidden..]);
        if !looks_up_first && let Some(number) = inside.number(hidden, hash) {
            inside.meet_again(number, index, out);
            return Ok(());
        }
        let number = inside.add(hash);
        if !is_followed {
            inside.met[number as usize].is_handed_out = true;
            inside.hand_out(index, out);
            return Ok(());
        }
        let node = inside.nodes.get(index).copied().unwrap_or_default();
        inside.note(self.scratch.log(), node);
        out.faults.append(&mut inside.found.faults);
        out.diverges = Divergence::or_sequence(out.diverges, inside.found.diverges);
        out.reduced = true;
        inside.enter(number);
        self.count_step_inside(inside)
    }

    fn expand_once(
        &mut self,
        inside: &mut Inside,
        state: &[u32],
        wanted: Wanted<'_>,
    ) -> Result<(), Obstacle> {
        self.expand(state, wanted, &mut inside.found);
        match inside.found.needs_width {
            Some(words) => Err(Obstacle::NeedsWidth(words)),
            None if inside.found.gave_up => Err(Obstacle::GaveUp),
            None => Ok(()),
        }
    }

    /// One step inside was taken. Whoever has set a limit is asked now and then, however many expansions the
    /// steps belong to.
    fn count_step_inside(&mut self, inside: &mut Inside) -> Result<(), Obstacle> {
        inside.left -= 1;
        inside.unasked += 1;
        if inside.unasked < limits::STEPS_INSIDE_BETWEEN_QUESTIONS {
            return Ok(());
        }
        inside.unasked = 0;
        let held = inside.words.capacity() + inside.pending.capacity();
        if self.may_go_on(held * size_of::<u32>()) { Ok(()) } else { Err(Obstacle::GaveUp) }
    }
}

fn hash_of(words: &[u32]) -> u64 {
    let mut hasher = FxHasher::default();
    for pair in words.chunks(2) {
        let high = pair.get(1).copied().unwrap_or_default();
        hasher.write_u64(u64::from(pair[0]) | u64::from(high) << 32);
    }
    hasher.finish()
}
