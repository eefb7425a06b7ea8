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

/// The events that a `trace` declaration waits for in a state, unless it may end there: `q!a or q!b (file:line)`.
pub fn expected_events(names: &Names<'_>, state: &State) -> Option<String> {
    let trace = names.model.trace.as_ref().filter(|trace| !trace.forbidden)?;
    let here = trace.process.location(state.trace);
    let ends = |edge: &Edge| matches!(edge.actions.first(), Some(Action::End));
    if here.is_end || here.edges.iter().any(ends) {
        return None;
    }
    let statements: Vec<_> = here.edges.iter().filter_map(|edge| edge.statements.first()).collect();
    let texts: Vec<&str> = statements.iter().map(|statement| statement.text.as_str()).collect();
    let span = statements.first()?.span;
    let (file, line) = (&names.sources.file(span.file).name, names.sources.place(span).line);
    Some(format!("{} ({file}:{line})", texts.join(" or ")))
}

/// What is wrong with an event on a channel that a `trace` or `notrace` declaration watches.
pub fn explain_event(names: &Names<'_>, before: &State, event: &str) -> String {
    match &names.model.trace {
        Some(trace) if trace.forbidden => {
            format!("the event {event} completes the notrace declaration, whose events must not all happen")
        }
        _ => match expected_events(names, before) {
            Some(expected) => {
                format!("the event {event} comes where the trace declaration waits for {expected}")
            }
            None => format!("the event {event} comes after the end of the trace declaration"),
        },
    }
}

/// What each process of a stopped system waits for.
pub fn waiting(names: &Names<'_>, state: &State) -> Vec<Waiting> {
    let interpreter = Interpreter::new(names.model);
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
        // A process that may not move at all waits for that, whatever its statements need.
        let provided = kind.provided.as_ref().filter(|_| !interpreter.is_provided(state, pid));
        for (index, edge) in location.edges.iter().enumerate() {
            let Some(statement) = edge.statements.first() else { continue };
            if entry.line == 0 {
                entry.file.clone_from(&names.sources.file(statement.span.file).name);
                entry.line = names.sources.place(statement.span).line;
            }
            let executed = Executed { pid, location: process.location, edge: index as u32 };
            let why = match provided {
                Some(provided) => {
                    format!("the process may move only while `{}` is true (`provided`)", provided.text)
                }
                None => reason(names, state, executed, edge),
            };
            entry.for_what.push((statement.text.clone(), why));
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
