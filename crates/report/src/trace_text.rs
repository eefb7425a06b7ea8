//! Traces for people: one line a step, what changed behind it, the cycle marked, the cause at the end.

use std::fmt::Write;

use verdict::{Cause, Passage, Trace, TraceStep, Waiting};

pub fn trace_text(trace: &Trace) -> String {
    let mut text = String::new();
    let width = trace.steps().map(who_width).max().unwrap_or(0);
    let place_width = trace.steps().map(|step| place(step).len()).max().unwrap_or(0);
    let mut number = 0;
    for step in trace.stem.iter().filter(|step| !step.jump) {
        number += 1;
        let _ = writeln!(text, "  {number:>4}  {}", line(step, width, place_width));
    }
    if !trace.cycle.is_empty() {
        let _ = writeln!(text, "        ---- the cycle: what follows is repeated for ever ----");
        for step in trace.cycle.iter().filter(|step| !step.jump) {
            number += 1;
            let _ = writeln!(text, "  {number:>4}  {}", line(step, width, place_width));
        }
        let _ = writeln!(text, "        ---- and so on ----");
    } else if matches!(trace.cause, Cause::Cycle { .. }) {
        let _ = writeln!(text, "        ---- the run ends here; its last state is repeated for ever ----");
    }
    match &trace.cause {
        Cause::None => {}
        Cause::Assertion { text: assertion } => {
            let _ = writeln!(text, "  cause: {assertion} is false");
        }
        Cause::RuntimeError { what } => {
            let _ = writeln!(text, "  cause: {what}");
        }
        Cause::InvalidEndState { waiting, unfinished } => {
            let _ = writeln!(text, "  cause: nothing can move");
            text.push_str(&waiting_text(waiting));
            if let Some(events) = unfinished {
                let _ = writeln!(text, "    the trace declaration is not completed: it waits for {events}");
            }
        }
        Cause::Prefix { what } | Cause::Cycle { what } => {
            let _ = writeln!(text, "  cause: {what}");
        }
    }
    text
}

/// What each process waits for.
pub fn waiting_text(waiting: &[Waiting]) -> String {
    let mut text = String::new();
    for process in waiting {
        let rests = if process.may_rest { ", and may rest there" } else { "" };
        let _ = writeln!(
            text,
            "    {}({}) at {}:{}{rests}",
            process.process, process.pid, process.file, process.line
        );
        for (statement, reason) in &process.for_what {
            let _ = writeln!(text, "      {statement}: {reason}");
        }
    }
    text
}

fn who(step: &TraceStep) -> String {
    if step.action.is_some() {
        return format!("in {}", step.process);
    }
    match &step.partner {
        Some(partner) => format!("{}({}) -> {}({})", step.process, step.pid, partner.process, partner.pid),
        None => format!("{}({})", step.process, step.pid),
    }
}

fn who_width(step: &TraceStep) -> usize {
    who(step).chars().count()
}

fn place(step: &TraceStep) -> String {
    format!("{}:{}", step.file, step.line)
}

/// One step on one line.
pub fn step_line(step: &TraceStep) -> String {
    line(step, 0, 0)
}

fn line(step: &TraceStep, who_width: usize, place_width: usize) -> String {
    let mut text = format!("{:who_width$}  {:place_width$}  {}", who(step), place(step), step.statement);
    if let Some(partner) = &step.partner {
        let _ = write!(text, " / {}", partner.statement);
    }
    if let Some(message) = &step.message {
        let (sign, fate) = match message.passage {
            Passage::Sent => ("!", ""),
            Passage::Lost => ("!", ", lost: the channel is full"),
            Passage::Received => ("?", ""),
        };
        let _ = write!(text, "   ({}{sign}{}{fate})", message.channel, message.fields.join(","));
    }
    if !step.changes.is_empty() {
        let changes: Vec<String> = step
            .changes
            .iter()
            .map(|change| format!("{} = {} (was {})", change.variable, change.after, change.before))
            .collect();
        let _ = write!(text, "   {{{}}}", changes.join(", "));
    }
    if let Some(output) = &step.output {
        let _ = write!(text, "   prints \"{}\"", output.trim_end().escape_debug());
    }
    text
}
