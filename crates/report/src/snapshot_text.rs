//! A state of a model for people: globals, channels, and each process with its place and its variables.

use std::fmt::Write;

use verdict::Snapshot;

pub fn snapshot_text(snapshot: &Snapshot) -> String {
    let mut text = String::new();
    for (name, value) in &snapshot.variables {
        let _ = writeln!(text, "  {name} = {value}");
    }
    for (name, messages) in &snapshot.channels {
        let messages: Vec<String> = messages.iter().map(|message| format!("[{message}]")).collect();
        let content = if messages.is_empty() { "empty".to_string() } else { messages.join(" ") };
        let _ = writeln!(text, "  channel {name}: {content}");
    }
    for process in &snapshot.processes {
        let (name, pid) = (&process.process, process.pid);
        let next = process.next.join(" | ");
        let _ = writeln!(text, "  {name}({pid}) at {}:{}  {next}", process.file, process.line);
        for (name, value) in &process.variables {
            let _ = writeln!(text, "      {name} = {value}");
        }
    }
    text
}
