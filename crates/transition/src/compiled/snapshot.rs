//! Packed states made readable.

use super::program::Program;
use super::shape::{ChannelPosition, Shape};
use crate::model::{LocationId, ProcessTypeId};

/// Everything a state says, in the order of the model's declarations.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Snapshot {
    /// By slot.
    pub globals: Vec<i32>,
    /// By pid.
    pub processes: Vec<ProcessSnapshot>,
    /// By channel number, from number 1.
    pub channels: Vec<ChannelSnapshot>,
    /// The last mover; 0 where the model does not look at it.
    pub last: u8,
    /// Where the event trace is; 0 without one.
    pub trace: LocationId,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ProcessSnapshot {
    pub kind: ProcessTypeId,
    pub location: LocationId,
    /// By slot.
    pub locals: Vec<i32>,
    pub priority: u8,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ChannelSnapshot {
    pub capacity: u32,
    /// The oldest first.
    pub messages: Vec<Vec<i32>>,
}

pub(super) fn snapshot(program: &Program, shape: &Shape, words: &[u32]) -> Snapshot {
    let processes = shape.kinds.iter().zip(&shape.frames).map(|(kind, frame)| {
        let process = &program.processes[*kind as usize];
        let base = *frame as usize;
        let priority = process.priority_cell.map(|cell| cell.read(words, base) as u8);
        ProcessSnapshot {
            kind: ProcessTypeId(*kind),
            location: LocationId(words[base] & process.location_mask),
            locals: process.cells.iter().map(|cell| cell.read(words, base)).collect(),
            priority: priority.unwrap_or(process.priority),
        }
    });
    Snapshot {
        globals: program.global_cells.iter().map(|cell| cell.read(words, 0)).collect(),
        processes: processes.collect(),
        channels: shape.channels.iter().map(|position| channel(program, *position, words)).collect(),
        last: program.last(words),
        trace: LocationId(program.trace.as_ref().map_or(0, |trace| trace.cell.read(words, 0) as u32)),
    }
}

fn channel(program: &Program, position: ChannelPosition, words: &[u32]) -> ChannelSnapshot {
    let layout = &program.channels[position.layout as usize];
    let base = position.word as usize;
    let count = layout.count(words, base);
    let message = |at| (0..layout.fields.len()).map(|field| layout.field(words, base, field, at)).collect();
    ChannelSnapshot { capacity: layout.capacity, messages: (0..count).map(message).collect() }
}
