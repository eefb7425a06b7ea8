//! In which states a process may be followed alone: a [`ReductionTable`] made ready for packed states.

use super::evaluate::{Evaluator, View, numbered};
use super::layout::Cell;
use super::program::{Program, Value};
use crate::model::{LocationId, Model, ProcessTypeId};
use crate::reduction::{ChannelSlots, Condition, Construction, ReductionTable, Safety};

use super::BuildError;

/// A static partial-order reduction, compiled for one [`super::System`] and its clones.
#[derive(Clone, PartialEq, Debug)]
pub struct Reduction {
    construction: Construction,
    safety: Vec<Vec<Compiled>>,
    uses: Vec<Uses>,
    may_run: Vec<Vec<bool>>,
}

#[derive(Clone, PartialEq, Debug)]
enum Compiled {
    Unsafe,
    Safe,
    When(Vec<Requirement>),
}

#[derive(Clone, PartialEq, Debug)]
enum Requirement {
    SoleReceiver(Value),
    SoleSender(Value),
    Line(Value),
    NobodyRuns,
}

/// Cells that may hold the number of a channel which a process uses.
#[derive(Clone, PartialEq, Debug)]
enum Holders {
    Global(Vec<Cell>),
    Local(Vec<Cell>),
    Any,
}

/// What a process type does with channels.
#[derive(Clone, PartialEq, Debug)]
struct Uses {
    receives: Vec<Holders>,
    sends: Vec<Holders>,
    sorted_sends: Vec<Holders>,
    looks: Vec<Holders>,
    middles: Vec<Vec<Holders>>,
}

pub(super) fn compile(
    model: &Model,
    program: &Program,
    table: &ReductionTable,
) -> Result<(Program, Reduction), BuildError> {
    let mut program = program.clone();
    let mut safety = Vec::new();
    for (kind, locations) in table.safety.iter().enumerate() {
        let kind = ProcessTypeId(kind as u32);
        let mut compiled = Vec::new();
        for (at, _) in locations.iter().enumerate() {
            compiled.push(match table.safety(kind, LocationId(at as u32)) {
                Safety::Unsafe => Compiled::Unsafe,
                Safety::Safe => Compiled::Safe,
                Safety::When(conditions) => {
                    let mut requirements = Vec::new();
                    for condition in conditions {
                        requirements.push(match condition {
                            Condition::SoleReceiver(channel) => {
                                Requirement::SoleReceiver(add_value(model, &mut program, kind, channel)?)
                            }
                            Condition::SoleSender(channel) => {
                                Requirement::SoleSender(add_value(model, &mut program, kind, channel)?)
                            }
                            Condition::Line(channel) => {
                                Requirement::Line(add_value(model, &mut program, kind, channel)?)
                            }
                            Condition::NobodyRuns => Requirement::NobodyRuns,
                        });
                    }
                    Compiled::When(requirements)
                }
            });
        }
        safety.push(compiled);
    }
    let uses = table
        .channel_use
        .iter()
        .enumerate()
        .map(|(kind, found)| {
            let all = |list: &[ChannelSlots]| -> Vec<Holders> {
                list.iter().map(|slots| holders(&program, kind, *slots)).collect()
            };
            Uses {
                receives: all(&found.receives),
                sends: all(&found.sends),
                sorted_sends: all(&found.sorted_sends),
                looks: all(&found.looks),
                middles: found.middles.iter().map(|slots| all(slots)).collect(),
            }
        })
        .collect();
    let (construction, may_run) = (table.construction, table.may_run.clone());
    Ok((program, Reduction { construction, safety, uses, may_run }))
}

fn add_value(
    model: &Model,
    program: &mut Program,
    kind: ProcessTypeId,
    channel: &crate::model::Expr,
) -> Result<Value, BuildError> {
    let (extended, value) = super::translate::add_value(model, std::mem::take(program), channel, kind)?;
    *program = extended;
    Ok(value)
}

fn holders(program: &Program, kind: usize, slots: ChannelSlots) -> Holders {
    let range = |cells: &[Cell], first: u32, last: u32| {
        cells.get(first as usize..=last as usize).map(<[Cell]>::to_vec)
    };
    let found = match slots {
        ChannelSlots::Global { first, last } => {
            range(&program.global_cells, first, last).map(Holders::Global)
        }
        ChannelSlots::Local { first, last } => {
            range(&program.processes[kind].cells, first, last).map(Holders::Local)
        }
        ChannelSlots::Any => None,
    };
    found.unwrap_or(Holders::Any)
}

impl Holders {
    /// Could one of the cells hold this channel?
    fn may_hold(&self, words: &[u32], base: usize, channel: i32) -> bool {
        match self {
            Holders::Global(cells) => cells.iter().any(|cell| cell.read(words, 0) == channel),
            Holders::Local(cells) => cells.iter().any(|cell| cell.read(words, base) == channel),
            Holders::Any => true,
        }
    }

    /// The channel that the only cell holds.
    fn held(&self, words: &[u32], base: usize) -> Option<i32> {
        match self {
            Holders::Global(cells) if cells.len() == 1 => Some(cells[0].read(words, 0)),
            Holders::Local(cells) if cells.len() == 1 => Some(cells[0].read(words, base)),
            _ => None,
        }
    }
}

impl Reduction {
    pub fn construction(&self) -> Construction {
        self.construction
    }

    /// May the process that looks through `view` be followed alone here?
    #[inline]
    pub(super) fn is_ample(&self, evaluator: &mut Evaluator<'_>, view: &View<'_>) -> bool {
        let kind = view.shape.kinds[view.pid] as usize;
        let location = evaluator.location_number(view, view.pid) as usize;
        match &self.safety[kind][location] {
            Compiled::Unsafe => false,
            Compiled::Safe => true,
            Compiled::When(requirements) => {
                requirements.iter().all(|requirement| self.holds(evaluator, view, requirement))
            }
        }
    }

    fn holds(&self, evaluator: &mut Evaluator<'_>, view: &View<'_>, requirement: &Requirement) -> bool {
        match requirement {
            Requirement::NobodyRuns => self.nobody_runs(evaluator, view),
            Requirement::SoleReceiver(channel) => {
                let Some((number, count, _)) = channel_state(evaluator, view, channel) else { return false };
                count > 0
                    && self.nobody_runs(evaluator, view)
                    && self
                        .nobody_else(view, number, |uses| [&uses.receives, &uses.looks, &uses.sorted_sends])
                    && self.nobody_else_stops(evaluator, view, number)
            }
            Requirement::SoleSender(channel) => {
                let Some((number, count, capacity)) = channel_state(evaluator, view, channel) else {
                    return false;
                };
                count < capacity
                    && self.nobody_runs(evaluator, view)
                    && self.nobody_else(view, number, |uses| [&uses.sends, &uses.looks, &uses.sorted_sends])
                    && self.nobody_else_stops(evaluator, view, number)
            }
            Requirement::Line(channel) => {
                let Some((number, _, _)) = channel_state(evaluator, view, channel) else { return false };
                self.nobody_runs(evaluator, view) && self.is_line(evaluator, view, number)
            }
        }
    }

    fn nobody_runs(&self, evaluator: &Evaluator<'_>, view: &View<'_>) -> bool {
        (0..view.shape.count()).all(|pid| {
            let kind = view.shape.kinds[pid] as usize;
            !self.may_run[kind][evaluator.location_number(view, pid) as usize]
        })
    }

    /// Is it impossible that the state of the channel stops another process in the middle of an atomic sequence, where others
    /// would notice?
    fn nobody_else_stops(&self, evaluator: &Evaluator<'_>, view: &View<'_>, channel: i32) -> bool {
        let stops = (0..view.shape.count()).filter(|pid| *pid != view.pid).any(|pid| {
            let base = view.shape.frames[pid] as usize;
            let middles = &self.uses[view.shape.kinds[pid] as usize].middles;
            middles.iter().any(|needed| needed[0].may_hold(view.words, base, channel))
        });
        !stops || self.is_line(evaluator, view, channel)
    }

    /// Is the channel a line, and are all those lines whose state decides whether a process is stopped at it? Nobody must be
    /// able to create processes.
    fn is_line(&self, evaluator: &Evaluator<'_>, view: &View<'_>, channel: i32) -> bool {
        let mut looked_at = vec![channel];
        let mut next = 0;
        while let Some(channel) = looked_at.get(next).copied() {
            next += 1;
            let Ok(found) = numbered(view.shape, channel) else { return false };
            if evaluator.program.channels[found.layout as usize].capacity == 0 {
                return false;
            }
            let (mut senders, mut receivers) = (0, 0);
            for pid in 0..view.shape.count() {
                let base = view.shape.frames[pid] as usize;
                let uses = &self.uses[view.shape.kinds[pid] as usize];
                let uses_it =
                    |list: &[Holders]| list.iter().any(|holders| holders.may_hold(view.words, base, channel));
                if uses_it(&uses.looks) || uses_it(&uses.sorted_sends) {
                    return false;
                }
                senders += u32::from(uses_it(&uses.sends));
                receivers += u32::from(uses_it(&uses.receives));
                for needed in uses.middles.iter().filter(|needed| uses_it(&needed[..1])) {
                    for holders in &needed[1..] {
                        let Some(other) = holders.held(view.words, base) else { return false };
                        if !looked_at.contains(&other) {
                            looked_at.push(other);
                        }
                    }
                }
            }
            if senders > 1 || receivers > 1 {
                return false;
            }
        }
        true
    }

    fn nobody_else(&self, view: &View<'_>, channel: i32, of: impl Fn(&Uses) -> [&Vec<Holders>; 3]) -> bool {
        (0..view.shape.count()).filter(|pid| *pid != view.pid).all(|pid| {
            let base = view.shape.frames[pid] as usize;
            let uses = &self.uses[view.shape.kinds[pid] as usize];
            !of(uses).into_iter().flatten().any(|holders| holders.may_hold(view.words, base, channel))
        })
    }
}

/// The number of a channel, how many messages it holds and how many it can; `None` for a handshake.
fn channel_state(evaluator: &mut Evaluator<'_>, view: &View<'_>, channel: &Value) -> Option<(i32, u32, u32)> {
    let number = evaluator.value(view, channel).ok()?;
    let found = numbered(view.shape, number).ok()?;
    let layout = &evaluator.program.channels[found.layout as usize];
    (layout.capacity > 0).then(|| (number, layout.count(view.words, found.word), layout.capacity))
}
