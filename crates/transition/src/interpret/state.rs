//! States as plain data, and how the first one comes about.

use super::Interpreter;
use crate::model::{ChannelType, Fault, Initialiser, LocationId, ProcessTypeId, Scope, Slot};

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Process {
    pub kind: ProcessTypeId,
    pub location: LocationId,
    pub locals: Vec<i32>,
    pub priority: u8,
    /// How many channels existed before this process was created.
    pub channels_below: u32,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct ChannelState {
    pub capacity: u32,
    /// Number of bits and sign of each field, as in [`ChannelType::fields`].
    pub fields: Vec<crate::model::Scalar>,
    pub messages: Vec<Vec<i32>>,
}

/// A state. Two states are equal if everything but the hidden slots is.
#[derive(Clone, Debug)]
pub struct State {
    pub globals: Vec<i32>,
    pub processes: Vec<Process>,
    pub channels: Vec<ChannelState>,
    /// Pid of the last mover; stays 0 where the model does not look at it.
    pub last: u8,
    /// Where the event trace is.
    pub trace: LocationId,
    /// Positions in `globals` that are left out of comparison.
    hidden: std::rc::Rc<[u32]>,
}

impl State {
    fn compared(&self) -> (Vec<i32>, &[Process], &[ChannelState], u8, LocationId) {
        let mut globals = self.globals.clone();
        for slot in self.hidden.iter() {
            globals[*slot as usize] = 0;
        }
        (globals, &self.processes, &self.channels, self.last, self.trace)
    }
}

impl PartialEq for State {
    fn eq(&self, other: &State) -> bool {
        if self.hidden.is_empty() {
            return self.globals == other.globals
                && self.processes == other.processes
                && self.channels == other.channels
                && self.last == other.last
                && self.trace == other.trace;
        }
        self.compared() == other.compared()
    }
}

impl Eq for State {}

impl std::hash::Hash for State {
    fn hash<H: std::hash::Hasher>(&self, hasher: &mut H) {
        self.compared().hash(hasher);
    }
}

impl Interpreter<'_> {
    /// The first state, or what went wrong while the variables got their first values.
    pub fn initial(&self) -> Result<State, Fault> {
        let model = self.model;
        let hidden: Vec<u32> = hidden_slots(&model.globals);
        let mut state = State {
            globals: vec![0; model.globals.len()],
            processes: Vec::new(),
            channels: Vec::new(),
            last: 0,
            trace: model.trace.as_ref().map_or(LocationId(0), |trace| trace.process.start),
            hidden: hidden.into(),
        };
        self.initialise(&mut state, 0, &model.initialisers)?;
        for kind in &model.active {
            self.create(&mut state, *kind, &[], None)?;
        }
        Ok(state)
    }

    /// Adds a process and gives its slots their first values. Returns its pid.
    pub(super) fn create(
        &self,
        state: &mut State,
        kind: ProcessTypeId,
        arguments: &[i32],
        priority: Option<u8>,
    ) -> Result<u8, Fault> {
        let process_type = self.model.process(kind);
        let pid = state.processes.len();
        if pid >= 255 {
            return Err(Fault::TooManyProcesses);
        }
        let mut locals = vec![0; process_type.locals.len()];
        for (slot, value) in arguments.iter().enumerate().take(process_type.parameters as usize) {
            locals[slot] = process_type.locals[slot].scalar.cut(*value);
        }
        state.processes.push(Process {
            kind,
            location: process_type.start,
            locals,
            priority: priority.unwrap_or(process_type.priority),
            channels_below: state.channels.len() as u32,
        });
        self.initialise(state, pid as u8, &process_type.initialisers)?;
        Ok(pid as u8)
    }

    /// Removes the youngest process and the channels it brought.
    pub(super) fn remove_youngest(&self, state: &mut State) {
        if let Some(process) = state.processes.pop() {
            state.channels.truncate(process.channels_below as usize);
        }
    }

    fn initialise(&self, state: &mut State, pid: u8, initialisers: &[Initialiser]) -> Result<(), Fault> {
        for initialiser in initialisers {
            match initialiser {
                Initialiser::Value(place, value) => {
                    let value = self.evaluate(state, pid, value)?;
                    self.store(state, pid, place, value)?;
                }
                Initialiser::Channel(place, channel) => {
                    let number = open_channel(state, channel)?;
                    self.store(state, pid, place, number)?;
                }
            }
        }
        Ok(())
    }

    /// The value of a slot, by scope.
    pub(super) fn slots<'s>(&self, state: &'s mut State, pid: u8, scope: Scope) -> Option<&'s mut Vec<i32>> {
        match scope {
            Scope::Global => Some(&mut state.globals),
            Scope::Local => state.processes.get_mut(pid as usize).map(|process| &mut process.locals),
        }
    }
}

fn open_channel(state: &mut State, channel: &ChannelType) -> Result<i32, Fault> {
    if state.channels.len() >= 255 {
        return Err(Fault::TooManyChannels);
    }
    state.channels.push(ChannelState {
        capacity: channel.capacity,
        fields: channel.fields.clone(),
        messages: Vec::new(),
    });
    Ok(state.channels.len() as i32)
}

fn hidden_slots(slots: &[Slot]) -> Vec<u32> {
    slots.iter().enumerate().filter(|(_, slot)| slot.hidden).map(|(i, _)| i as u32).collect()
}
