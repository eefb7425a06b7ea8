//! The transition system of a process, written in the format of Aldebaran (`.aut`).
//!
//! States are numbered in the order in which they are found. Where there are several instances, state 0 is none of theirs and
//! has a step to the first state of each, labelled with its values. A state in which the process may end has a step
//! `Terminate` to a state without steps, as mCRL2 writes it. Labels are actions with their arguments.

use std::collections::HashMap;
use std::io::Write;
use std::time::Instant;

use process::{Explorer, Successor};
use verdict::{Limits, Reason};

use super::ProcessModel;
use crate::port::Open;

/// Steps between two looks at the clock.
const LOOK: usize = 1 << 10;

/// Writes all transitions that can be reached; an error says why that cannot be done, and then nothing was written.
pub(super) fn write(model: &ProcessModel, limits: &Limits, open: Open<'_>) -> Result<(), String> {
    let system = System::explore(model, limits)?;
    let cannot = |error: std::io::Error| format!("the transition system cannot be written: {error}");
    let mut to = open().map_err(cannot)?;
    let states = system.states.len() as u32 + system.offset + u32::from(system.has_end);
    writeln!(to, "des (0, {}, {states})", system.edges.len()).map_err(cannot)?;
    for (from, label, target) in &system.edges {
        writeln!(to, "({from}, \"{}\", {target})", system.labels[*label as usize]).map_err(cannot)?;
    }
    to.flush().map_err(cannot)
}

#[derive(Default)]
struct System {
    /// Numbers without the offset, by their words.
    states: HashMap<Box<[u32]>, u32>,
    /// How many states are in front of those of the instances.
    offset: u32,
    has_end: bool,
    labels: Vec<String>,
    numbers: HashMap<String, u32>,
    /// From, label, to.
    edges: Vec<(u32, u32, u32)>,
}

impl System {
    fn explore(model: &ProcessModel, limits: &Limits) -> Result<System, String> {
        let mut explorer = model.explorer()?;
        let mut system = System::default();
        let mut waiting: Vec<Box<[u32]>> = Vec::new();
        let initial = explorer.initial()?;
        if initial.is_empty() {
            return Err("there is no instance: no value satisfies `requires` and the conditions".to_string());
        }
        system.offset = u32::from(initial.len() > 1);
        for words in initial {
            let text = match system.offset {
                0 => String::new(),
                _ => instance(model, &explorer, &words),
            };
            let target = system.number(words, &mut waiting);
            if system.offset > 0 {
                let label = system.label(text);
                system.edges.push((0, label, target));
            }
        }
        let mut ends = Vec::new();
        let mut successors: Vec<Successor> = Vec::new();
        let mut at = 0;
        while let Some(here) = waiting.get(at).cloned() {
            if at.is_multiple_of(LOOK) {
                stop(limits, &system)?;
            }
            let from = at as u32 + system.offset;
            at += 1;
            explorer.successors(&here, &mut successors)?;
            for successor in successors.drain(..) {
                let text = explorer.text(&successor.step);
                let name = &model.model.actions[text.action.0 as usize].name;
                let arguments: Vec<String> =
                    text.arguments.iter().map(|value| value.show(&model.model)).collect();
                let label = system.label(format!("{name}({})", arguments.join(", ")));
                let target = system.number(successor.words, &mut waiting);
                system.edges.push((from, label, target));
            }
            if explorer.may_end(&here)? {
                ends.push(from);
            }
        }
        system.has_end = !ends.is_empty();
        let last = system.states.len() as u32 + system.offset;
        let label = system.label("Terminate".to_string());
        system.edges.extend(ends.into_iter().map(|from| (from, label, last)));
        Ok(system)
    }

    fn number(&mut self, words: Vec<u32>, waiting: &mut Vec<Box<[u32]>>) -> u32 {
        let next = self.states.len() as u32;
        let words: Box<[u32]> = words.into();
        let number = *self.states.entry(words.clone()).or_insert(next);
        if number == next {
            waiting.push(words);
        }
        number + self.offset
    }

    /// The number of a label; quotation marks would end it.
    fn label(&mut self, text: String) -> u32 {
        let text = text.replace('"', "'");
        let next = self.labels.len() as u32;
        let number = *self.numbers.entry(text.clone()).or_insert(next);
        if number == next {
            self.labels.push(text);
        }
        number
    }
}

/// Whether a limit is reached.
fn stop(limits: &Limits, system: &System) -> Result<(), String> {
    let states = system.states.len() as u64;
    let width = system.states.keys().next().map_or(0, |words| words.len() as u64 * 8);
    let bytes = states * (width + 64) + system.edges.len() as u64 * 12;
    let reason = if limits.is_interrupted() {
        Reason::Interrupted
    } else if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        Reason::Timeout
    } else if limits.max_states.is_some_and(|most| states > most) {
        Reason::StateLimit
    } else if limits.max_memory_bytes.is_some_and(|most| bytes > most) {
        Reason::MemoryLimit
    } else {
        return Ok(());
    };
    Err(format!("the transition system is not written: {reason}"))
}

fn instance(model: &ProcessModel, explorer: &Explorer<'_>, state: &[u32]) -> String {
    let Some(instance) = explorer.instance(state) else { return "begin".to_string() };
    let parameters =
        model.subject().process().parameters.iter().map(|it| it.name.to_string()).collect::<Vec<_>>();
    let fields = model.model.fields.iter().map(|it| it.name.to_string());
    let names = parameters.into_iter().chain(fields);
    let values = instance.arguments.iter().chain(&instance.fields).map(|value| value.show(&model.model));
    let all: Vec<String> = names.zip(values).map(|(name, value)| format!("{name} = {value}")).collect();
    format!("begin({})", all.join(", "))
}
