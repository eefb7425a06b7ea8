//! Why a run is wrong, in sentences.

use transition::interpret::{Executed, Interpreter, State};
use transition::model::{Action, Edge, Fault};
use verdict::Waiting;

use crate::describe::Names;

/// What a fault means and what to do about it.
pub fn explain_fault(fault: Fault) -> &'static str {
    match fault {
        Fault::Assertion => "the assertion is false",
        Fault::IndexOutOfRange => "an array index is out of range",
        Fault::DivisionByZero => "a division by zero",
        Fault::NoSuchChannel => "an operation on a channel that does not exist (an uninitialised `chan`?)",
        Fault::MessageTooLong => "a message with more fields than those of the channel have",
        Fault::MessageTooShort => "a message with fewer fields than those of the channel have",
        Fault::ReceiveTooLong => "a receive asks for more fields than the messages of the channel have",
        Fault::TooManyProcesses => "more than 255 processes at once",
        Fault::TooManyChannels => "more than 255 channels at once",
        Fault::BlockInStep => "a statement inside a d_step blocks (only its first may)",
        Fault::StepDoesNotEnd => "a d_step does not come to its end",
        Fault::NotDeterministic => "two statements of a D_proctype are executable at once",
        Fault::EventTrace => "an event that the trace declaration does not allow",
    }
}

/// What each process of a stopped system waits for.
pub fn waiting(names: &Names<'_>, state: &State) -> Vec<Waiting> {
    let mut found = Vec::new();
    for (pid, process) in state.processes.iter().enumerate() {
        let kind = names.model.process(process.kind);
        let location = kind.location(process.location);
        let pid = pid as u8;
        let mut entry = Waiting {
            pid,
            process: kind.name.clone(),
            file: String::new(),
            line: 0,
            for_what: Vec::new(),
            may_rest: location.is_end,
        };
        for (index, edge) in location.edges.iter().enumerate() {
            let Some(statement) = edge.statements.first() else { continue };
            if entry.line == 0 {
                entry.file.clone_from(&names.sources.file(statement.span.file).name);
                entry.line = names.sources.place(statement.span).line;
            }
            let executed = Executed { pid, location: process.location, edge: index as u32 };
            entry.for_what.push((statement.text.clone(), reason(names, state, executed, edge)));
        }
        found.push(entry);
    }
    found
}

fn reason(names: &Names<'_>, state: &State, at: Executed, edge: &Edge) -> String {
    let interpreter = Interpreter::new(names.model);
    let channel_of = |expr| interpreter.evaluate(state, at.pid, expr).unwrap_or(0);
    let capacity_of = |number: i32| {
        usize::try_from(number).ok().and_then(|n| n.checked_sub(1)).and_then(|n| state.channels.get(n))
    };
    match edge.actions.first() {
        Some(Action::Condition(_)) => "is false".to_string(),
        Some(Action::Send { channel, .. }) => {
            let number = channel_of(channel);
            let name = names.channel(state, number);
            match capacity_of(number) {
                Some(channel) if channel.capacity == 0 => {
                    format!("no process is ready to receive from {name}")
                }
                Some(_) => format!("{name} is full"),
                None => "there is no channel".to_string(),
            }
        }
        Some(Action::Receive { channel, .. }) => {
            let number = channel_of(channel);
            let name = names.channel(state, number);
            match capacity_of(number) {
                Some(channel) if channel.capacity == 0 => format!("no process is ready to send to {name}"),
                Some(channel) if channel.messages.is_empty() => format!("{name} is empty"),
                Some(_) => format!("no message in {name} matches"),
                None => "there is no channel".to_string(),
            }
        }
        Some(Action::End) => "a younger process has not ended".to_string(),
        Some(Action::Block(_)) => "the d_step cannot begin".to_string(),
        _ => "cannot be executed".to_string(),
    }
}
