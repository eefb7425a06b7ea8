//! A whole state in words.

use transition::interpret::State;
use transition::model::Slot;
use verdict::{ProcessSnapshot, Snapshot};

use crate::describe::Names;

/// The variables, channels and processes of a state.
pub fn snapshot(names: &Names<'_>, state: &State) -> Snapshot {
    let values = |slots: &[Slot], values: &[i32]| -> Vec<(String, String)> {
        slots.iter().zip(values).map(|(slot, value)| (slot.name.clone(), names.value(slot, *value))).collect()
    };
    let channels = state.channels.iter().zip(1..).map(|(channel, number)| {
        let messages = channel.messages.iter().map(|message| names.fields(state, number, message).join(","));
        (names.channel(state, number), messages.collect())
    });
    let processes = state.processes.iter().zip(0..).map(|(process, pid)| {
        let kind = names.model.process(process.kind);
        let edges = &kind.location(process.location).edges;
        let statements: Vec<_> = edges.iter().filter_map(|edge| edge.statements.first()).collect();
        let place = statements.first().map(|statement| statement.span);
        ProcessSnapshot {
            pid,
            process: kind.name.clone(),
            file: place.map_or(String::new(), |span| names.sources.file(span.file).name.clone()),
            line: place.map_or(0, |span| names.sources.place(span).line),
            next: statements.iter().map(|statement| statement.text.clone()).collect(),
            variables: values(&kind.locals, &process.locals),
        }
    });
    Snapshot {
        variables: values(&names.model.globals, &state.globals),
        channels: channels.collect(),
        processes: processes.collect(),
    }
}
