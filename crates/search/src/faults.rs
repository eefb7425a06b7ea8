//! The faults a search met, by kind: how many, and the way to the first.

use crate::path::{Path, along};
use crate::product::{Fault, FaultClass, FaultKind, Halt, Product, StateId};
use crate::stack::Stack;

/// What a search does about faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FaultPolicy {
    /// Look past them without counting.
    Ignore,
    /// The first one is the answer.
    StopAtFirst,
    /// Count them all and explore everything.
    CountAll,
}

/// The kind under which the reachability of an accepting sink is reported.
pub const ACCEPTING_SINK: FaultKind = FaultKind { class: FaultClass::Acceptance, code: u32::MAX };

/// The faults of one kind.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// What is wrong.
    pub kind: FaultKind,
    /// How often it was met: once per state or edge that has it.
    pub count: u64,
    /// The way to the first one met; when the fault is on an edge, that edge is the last step.
    pub first: Path,
}

struct Entry {
    kind: FaultKind,
    count: u64,
    /// The states up to the one with the fault.
    states: Vec<StateId>,
    edge: Option<u32>,
    /// How many steps the path to the fault has.
    steps: u64,
}

/// The faults of one kind, as they are kept: where the shortest path to one of them ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SavedFault {
    pub(crate) kind: FaultKind,
    pub(crate) count: u64,
    pub(crate) state: StateId,
    pub(crate) edge: Option<u32>,
    pub(crate) steps: u64,
}

/// The faults met so far.
#[derive(Default)]
pub(crate) struct FaultLog {
    entries: Vec<Entry>,
}

impl FaultLog {
    pub(crate) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Counts a fault found on a path of `steps` steps. When it is the first of its kind, or has a shorter
    /// path than the first, `states` tells the way.
    pub(crate) fn record(&mut self, fault: Fault, steps: u64, states: impl FnOnce() -> Vec<StateId>) {
        match self.entries.iter_mut().find(|entry| entry.kind == fault.kind) {
            Some(entry) => {
                entry.count += 1;
                if steps < entry.steps {
                    entry.states = states();
                    entry.edge = fault.edge;
                    entry.steps = steps;
                }
            }
            None => self.entries.push(Entry {
                kind: fault.kind,
                count: 1,
                states: states(),
                edge: fault.edge,
                steps,
            }),
        }
    }

    /// Notes faults of a kind that was not met before, and the shortest path to one of them.
    pub(crate) fn record_many(&mut self, fault: Fault, count: u64, steps: u64, states: Vec<StateId>) {
        self.entries.push(Entry { kind: fault.kind, count, states, edge: fault.edge, steps });
    }

    /// Takes in what another worker has met.
    pub(crate) fn merge(&mut self, others: FaultLog) {
        for other in others.entries {
            match self.entries.iter_mut().find(|entry| entry.kind == other.kind) {
                Some(entry) if entry.steps <= other.steps => entry.count += other.count,
                Some(entry) => {
                    let count = entry.count + other.count;
                    *entry = Entry { count, ..other };
                }
                None => self.entries.push(other),
            }
        }
    }

    /// The faults as they are kept.
    pub(crate) fn saved(&self) -> Vec<SavedFault> {
        let saved = |entry: &Entry| SavedFault {
            kind: entry.kind,
            count: entry.count,
            state: entry.states.last().copied().unwrap_or(StateId(0)),
            edge: entry.edge,
            steps: entry.steps,
        };
        self.entries.iter().map(saved).collect()
    }

    /// The faults that were kept; the ways to them are to be found.
    pub(crate) fn of_saved(saved: &[SavedFault]) -> FaultLog {
        let entry = |fault: &SavedFault| Entry {
            kind: fault.kind,
            count: fault.count,
            states: vec![fault.state],
            edge: fault.edge,
            steps: fault.steps,
        };
        FaultLog { entries: saved.iter().map(entry).collect() }
    }

    /// What several workers have met, as it is kept.
    pub(crate) fn join<'s>(parts: impl Iterator<Item = &'s [SavedFault]>) -> Vec<SavedFault> {
        let mut log = FaultLog::default();
        parts.for_each(|part| log.merge(FaultLog::of_saved(part)));
        log.saved()
    }

    /// The fewest steps to a fault.
    pub(crate) fn shortest(&self) -> Option<u64> {
        self.entries.iter().map(|entry| entry.steps).min()
    }

    /// Counts the faults of the state on top of a search's stack, unless the policy is to look past them.
    pub(crate) fn record_all(&mut self, faults: &[Fault], policy: FaultPolicy, stack: &Stack) {
        self.record_along(faults, policy, stack.depth(), || stack.states().collect());
    }

    /// The same for the last of so many states on a path.
    pub(crate) fn record_along(
        &mut self,
        faults: &[Fault],
        policy: FaultPolicy,
        depth: usize,
        states: impl Fn() -> Vec<StateId>,
    ) {
        if policy == FaultPolicy::Ignore {
            return;
        }
        for &fault in faults {
            let steps = depth.saturating_sub(1) as u64 + u64::from(fault.edge.is_some());
            self.record(fault, steps, &states);
        }
    }

    /// Counts the faults of a state whose way is looked for afterwards, unless the policy is to look past them.
    pub(crate) fn record_at(&mut self, faults: &[Fault], policy: FaultPolicy, state: StateId) {
        if policy != FaultPolicy::Ignore {
            faults.iter().for_each(|fault| self.record(*fault, 0, || vec![state]));
        }
    }

    /// Replaces each remembered way by what `complete` makes of it.
    pub(crate) fn complete(&mut self, mut complete: impl FnMut(StateId) -> Vec<StateId>) {
        for entry in &mut self.entries {
            if let Some(&state) = entry.states.last() {
                entry.states = complete(state);
            }
        }
    }

    /// The same where a way may not be found; then nothing is known of the faults.
    pub(crate) fn find_ways(
        &mut self,
        mut find: impl FnMut(StateId) -> Result<Vec<StateId>, Halt>,
    ) -> Result<(), Halt> {
        let mut lost = None;
        self.complete(|state| {
            find(state).unwrap_or_else(|halt| {
                lost = Some(halt);
                vec![state]
            })
        });
        match lost {
            Some(halt) => {
                self.entries.clear();
                Err(halt)
            }
            None => Ok(()),
        }
    }

    /// The same with the number of steps to the state that has the fault.
    pub(crate) fn complete_with_steps(&mut self, mut complete: impl FnMut(StateId, u64) -> Vec<StateId>) {
        for entry in &mut self.entries {
            if let Some(&state) = entry.states.last() {
                entry.states = complete(state, entry.steps - u64::from(entry.edge.is_some()));
            }
        }
    }

    /// The faults with their paths, the shortest path first.
    pub(crate) fn into_violations<P: Product>(mut self, product: &mut P) -> Result<Vec<Violation>, Halt> {
        self.entries.sort_by_key(|entry| entry.steps);
        self.entries
            .into_iter()
            .map(|entry| {
                let first = along(product, &entry.states, entry.edge)?;
                Ok(Violation { kind: entry.kind, count: entry.count, first })
            })
            .collect()
    }
}
