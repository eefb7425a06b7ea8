//! Small models built by hand, and exhaustive exploration of them.
#![allow(dead_code, reason = "every test program uses its own part of this")]

use std::collections::{BTreeSet, HashMap, VecDeque};
use transition::compiled::{Snapshot, Successors, System};
use transition::model::{
    Action, Binary, ChannelType, Edge, Expr, Fault, Index, Initialiser, Location, LocationId, Model, Pattern,
    Place, ProcessType, ProcessTypeId, Scalar, Scope, Slot, Statement,
};

pub(crate) fn slot(name: &str, scalar: Scalar) -> Slot {
    Slot { name: name.to_owned(), scalar, hidden: false, enumeration: None, is_channel: false }
}

pub(crate) fn global(slot: u32, scalar: Scalar) -> Place {
    Place { scope: Scope::Global, slot, scalar, indices: Vec::new() }
}

pub(crate) fn local(slot: u32, scalar: Scalar) -> Place {
    Place { scope: Scope::Local, slot, scalar, indices: Vec::new() }
}

pub(crate) fn element(place: Place, value: Expr, length: u32) -> Place {
    let mut place = place;
    place.indices.push(Index { value, length, stride: 1 });
    place
}

pub(crate) fn load(place: Place) -> Expr {
    Expr::Load(Box::new(place))
}

pub(crate) fn number(value: i32) -> Expr {
    Expr::Constant(value)
}

pub(crate) fn binary(operator: Binary, left: Expr, right: Expr) -> Expr {
    Expr::Binary(operator, Box::new(left), Box::new(right))
}

pub(crate) fn equal(left: Expr, right: Expr) -> Expr {
    binary(Binary::Equal, left, right)
}

pub(crate) fn channel_type(capacity: u32, fields: &[Scalar]) -> ChannelType {
    ChannelType {
        capacity,
        fields: fields.to_vec(),
        enumerations: vec![None; fields.len()],
        name: "q".to_owned(),
    }
}

pub(crate) fn channel(place: Place, capacity: u32, fields: &[Scalar]) -> Initialiser {
    Initialiser::Channel(place, channel_type(capacity, fields))
}

pub(crate) fn send(channel: Place, arguments: Vec<Expr>) -> Action {
    Action::Send { channel: Box::new(load(channel)), arguments, sorted: false }
}

pub(crate) fn receive(channel: Place, patterns: Vec<Pattern>) -> Action {
    Action::Receive { channel: Box::new(load(channel)), patterns, random: false, keep: false }
}

pub(crate) fn edge(action: Action, target: u32) -> Edge {
    merged(vec![action], target)
}

pub(crate) fn merged(actions: Vec<Action>, target: u32) -> Edge {
    let statement =
        Statement { text: String::new(), number: 0, span: source::Span::new(source::FileId(0), 0, 0) };
    Edge {
        statements: vec![statement; actions.len()],
        actions,
        target: LocationId(target),
        atomic: false,
        escape: 0,
        resets: Vec::new(),
    }
}

pub(crate) fn atomic(action: Action, target: u32) -> Edge {
    Edge { atomic: true, ..edge(action, target) }
}

pub(crate) fn escape(group: u32, edge: Edge) -> Edge {
    Edge { escape: group, ..edge }
}

pub(crate) fn at(edges: Vec<Edge>) -> Location {
    Location { edges, ..Location::default() }
}

/// The location where a process leaves.
pub(crate) fn ending() -> Location {
    Location { edges: vec![edge(Action::End, 0)], is_end: true, ..Location::default() }
}

/// A process type whose last location is [`ending`].
pub(crate) fn process(name: &str, locals: Vec<Slot>, mut locations: Vec<Location>) -> ProcessType {
    locations.push(ending());
    ProcessType {
        name: name.to_owned(),
        parameters: 0,
        locals,
        initialisers: Vec::new(),
        locations,
        start: LocationId(0),
        provided: None,
        priority: 1,
        deterministic: false,
    }
}

pub(crate) fn model(globals: Vec<Slot>, processes: Vec<ProcessType>) -> Model {
    let active = (0..processes.len() as u32).map(ProcessTypeId).collect();
    Model {
        globals,
        initialisers: Vec::new(),
        processes,
        active,
        claims: Vec::new(),
        trace: None,
        enumerations: Vec::new(),
        uses_last: false,
        uses_priorities: false,
        uses_timeout: false,
        loses_messages: false,
        block_step_limit: 1000,
    }
}

/// What exhaustive exploration finds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) states: usize,
    pub(crate) transitions: usize,
    pub(crate) deadlocks: usize,
    pub(crate) faults: BTreeSet<Fault>,
}

pub(crate) fn found(states: usize, transitions: usize, deadlocks: usize) -> Found {
    Found { states, transitions, deadlocks, faults: BTreeSet::new() }
}

/// Explores breadth-first and calls `visit` with every state.
pub(crate) fn explore_with(model: &Model, visit: impl FnMut(&mut System, &[u32], &Successors)) -> Found {
    explore_system(System::new(model).expect("the model compiles"), visit)
}

fn explore_system(mut system: System, mut visit: impl FnMut(&mut System, &[u32], &Successors)) -> Found {
    let mut out = Successors::new();
    let mut found = Found::default();
    let initial = system.initial().expect("there is a first state");
    let mut seen: HashMap<Vec<u32>, ()> = HashMap::new();
    let mut waiting = VecDeque::new();
    seen.insert(initial[system.hidden_words()..].to_vec(), ());
    waiting.push_back(initial);
    while let Some(mut state) = waiting.pop_front() {
        state.resize(system.width(), 0);
        system.successors(&state, None, &mut out);
        while let Some(width) = out.needs_width {
            system.widen(width);
            state.resize(system.width(), 0);
            let known: Vec<Vec<u32>> = seen.drain().map(|(key, ())| key).collect();
            for mut key in known {
                key.resize(system.width() - system.hidden_words(), 0);
                seen.insert(key, ());
            }
            system.successors(&state, None, &mut out);
        }
        visit(&mut system, &state, &out);
        found.transitions += out.len();
        found.deadlocks += usize::from(out.deadlock && !out.valid_end);
        found.faults.extend(out.faults.iter().map(|fault| fault.fault));
        for (_, vector) in out.iter() {
            if seen.insert(vector[system.hidden_words()..].to_vec(), ()).is_none() {
                waiting.push_back(vector.to_vec());
            }
        }
    }
    found.states = seen.len();
    found
}

/// Explores by bytecode and by machine code; both must find the same.
pub(crate) fn explore(model: &Model) -> Found {
    let mut system = System::new(model).expect("the model compiles");
    system.make_machine_code();
    let by_machine_code = explore_system(system, |_, _, _| {});
    let by_bytecode = explore_with(model, |_, _, _| {});
    assert_eq!(by_machine_code, by_bytecode);
    by_bytecode
}

/// The readable forms of all reachable states.
pub(crate) fn reachable(model: &Model) -> Vec<Snapshot> {
    let mut states = Vec::new();
    explore_with(model, |system, state, _| states.push(system.snapshot(state)));
    states
}
