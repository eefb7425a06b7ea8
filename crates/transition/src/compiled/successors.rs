//! What the successor function hands out.

use super::Executed;
use crate::model::{Fault, LocationId, ProcessTypeId};

/// A set of pids.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PidSet([u64; 4]);

impl PidSet {
    #[inline]
    pub fn insert(&mut self, pid: u8) {
        self.0[usize::from(pid / 64)] |= 1 << (pid % 64);
    }

    #[inline]
    pub fn contains(&self, pid: u8) -> bool {
        self.0[usize::from(pid / 64)] >> (pid % 64) & 1 == 1
    }

    pub fn is_empty(&self) -> bool {
        self.0 == [0; 4]
    }

    pub fn clear(&mut self) {
        self.0 = [0; 4];
    }
}

/// Who made the (first micro) step to a successor.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Step {
    pub pid: u8,
    /// The receiver, if the first micro step was a handshake.
    pub partner: Option<u8>,
}

/// Something that went wrong on the way to a successor, or that left none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FaultStep {
    /// Who made the first micro step.
    pub pid: u8,
    pub fault: Fault,
    /// The edge that was executed when it happened.
    pub at: Executed,
}

/// Where a process can stay for ever without coming to an ordinary state.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Divergence {
    pub process: ProcessTypeId,
    pub location: LocationId,
    pub stay: Stay,
}

/// In what a process can stay for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stay {
    /// In one deterministic step, which is a fault of its own.
    Step,
    /// In an atomic sequence of steps that end, each of them.
    Sequence,
}

impl Divergence {
    /// The one of two to be told of: of a step that does not end a fault tells.
    #[must_use]
    pub fn or_sequence(found: Option<Divergence>, other: Option<Divergence>) -> Option<Divergence> {
        match (found, other) {
            (Some(Divergence { stay: Stay::Step, .. }), Some(other)) if other.stay == Stay::Sequence => {
                Some(other)
            }
            (found, other) => found.or(other),
        }
    }
}

/// The successors of one state, in a fixed order: the youngest process first, edges in order.
#[derive(Clone, Default, Debug)]
pub struct Successors {
    width: usize,
    pub(super) words: Vec<u32>,
    pub(super) steps: Vec<Step>,
    /// Of [`super::System::inner_successors`]: who keeps exclusive control, parallel to the steps.
    pub(super) controls: Vec<Option<u8>>,
    /// All processes that took part in a step, by bit, for the few steps where that is more than [`Step`] says.
    pub(super) helpers: Vec<(u32, u64)>,
    /// Every fault that happened. Failed assertions and violated event traces do not prevent the
    /// successor, the others do.
    pub faults: Vec<FaultStep>,
    /// No process had an executable edge.
    pub deadlock: bool,
    /// With `deadlock`: every process rests at a place where it may.
    pub valid_end: bool,
    /// Some edge was executable only because `timeout` was true.
    pub timeout: bool,
    /// Only the steps of one process were generated, here or somewhere inside.
    pub reduced: bool,
    /// Who had an executable edge, handshakes included. With `reduced`, only those that were looked at.
    pub executable: PidSet,
    /// Some process has an endless run that never comes to an ordinary state: an atomic sequence or a
    /// deterministic block need not end.
    pub diverges: Option<Divergence>,
    /// The expansion was given up because it took too long; nothing else here is valid then.
    pub gave_up: bool,
    /// Vectors must become this wide before the state can be expanded; nothing else here is valid then.
    pub needs_width: Option<usize>,
}

impl Successors {
    pub fn new() -> Successors {
        Successors::default()
    }

    pub(super) fn clear(&mut self, width: usize) {
        self.width = width;
        self.words.clear();
        self.steps.clear();
        self.controls.clear();
        self.helpers.clear();
        self.faults.clear();
        self.deadlock = false;
        self.valid_end = false;
        self.timeout = false;
        self.reduced = false;
        self.executable.clear();
        self.diverges = None;
        self.gave_up = false;
        self.needs_width = None;
    }

    /// Takes over what another expansion says of its state, but none of its steps.
    pub(super) fn take_all_but_steps(&mut self, other: &mut Successors) {
        self.clear(other.width);
        self.faults.append(&mut other.faults);
        self.deadlock = other.deadlock;
        self.valid_end = other.valid_end;
        self.timeout = other.timeout;
        self.executable = other.executable;
        self.diverges = other.diverges;
    }

    pub fn len(&self) -> usize {
        self.steps.len()
    }

    pub fn is_empty(&self) -> bool {
        self.steps.is_empty()
    }

    /// The vector of a successor, hidden words included.
    #[inline]
    pub fn vector(&self, index: usize) -> &[u32] {
        &self.words[index * self.width..(index + 1) * self.width]
    }

    /// All vectors one after another.
    pub fn vectors(&self) -> &[u32] {
        &self.words
    }

    /// All vectors, one after another.
    pub fn words(&self) -> &[u32] {
        &self.words
    }

    pub fn step(&self, index: usize) -> Step {
        self.steps[index]
    }

    /// Did the process take part in the step, in any of its statements? Asked of the first 64 processes.
    pub fn took_part(&self, index: usize, pid: u8) -> bool {
        let step = self.steps[index];
        step.pid == pid
            || step.partner == Some(pid)
            || self.helpers.iter().any(|(helped, pids)| *helped as usize == index && pids >> pid & 1 == 1)
    }

    /// Who keeps exclusive control after a step of [`super::System::inner_successors`].
    pub fn control(&self, index: usize) -> Option<u8> {
        self.controls.get(index).copied().flatten()
    }

    pub fn iter(&self) -> impl Iterator<Item = (Step, &[u32])> {
        self.steps.iter().copied().zip(self.words.chunks_exact(self.width.max(1)))
    }
}
