//! What checking a model says, for people: a line for each property, then the counterexamples.

use std::fmt::Write;

use verdict::{CheckReport, Coverage, Progress, PropertyReport, Reason, Statistics, Unexecuted, Verdict};

use crate::number::{bytes, counted, grouped};
use crate::trace_text::trace_text;

/// How much is shown.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckDetail {
    /// The counterexample of each violated property below its line.
    pub traces: bool,
    /// Which search answered which property, with which reductions, and why.
    pub searches: bool,
}

/// The verdict lines, and a line with what they cost.
pub fn check_text(report: &CheckReport, detail: CheckDetail) -> String {
    let mut text = String::new();
    let width = report.properties.iter().map(|property| property.name.chars().count()).max().unwrap_or(0);
    for property in &report.properties {
        property_lines(&mut text, property, width, detail.traces);
    }
    let _ = writeln!(text, "{}: {} ({})", report.model, report.verdict.word(), cost(&report.statistics));
    if let Some(coverage) = &report.coverage {
        coverage_lines(&mut text, coverage);
    }
    if detail.searches {
        search_lines(&mut text, &report.properties);
    }
    text
}

fn cost(statistics: &Statistics) -> String {
    let seconds = statistics.seconds();
    let rate = if seconds > 0.0 { (statistics.states as f64 / seconds) as u64 } else { 0 };
    format!(
        "{}, {}, depth {}, {seconds:.2} s, {} states/s, {}",
        counted(statistics.states, "state"),
        counted(statistics.transitions, "transition"),
        grouped(statistics.depth),
        grouped(rate),
        bytes(statistics.peak_memory_bytes),
    )
}

/// What was never executed, process by process.
fn coverage_lines(text: &mut String, coverage: &Coverage) {
    if !coverage.is_complete {
        text.push_str(
            "the search did not come to its end, so what is listed here may be executed later on\n",
        );
    }
    for process in &coverage.processes {
        let (name, count) = (&process.process, counted(process.statements as u64, "statement"));
        if process.never.is_empty() {
            let _ = writeln!(text, "{name}: executed in full ({count})");
            continue;
        }
        let _ = writeln!(text, "{name}: never executed ({} of {count})", process.never.len());
        let place = |unexecuted: &Unexecuted| format!("{}:{}", unexecuted.file, unexecuted.line);
        let width = process.never.iter().map(|unexecuted| place(unexecuted).len()).max().unwrap_or(0);
        for unexecuted in &process.never {
            let reached = if unexecuted.reached { "   (reached, but not executable)" } else { "" };
            let _ = writeln!(text, "  {:width$}  {}{reached}", place(unexecuted), unexecuted.statement);
        }
    }
}

/// One line for all properties that were searched in the same way.
fn search_lines(text: &mut String, properties: &[PropertyReport]) {
    let way = |property: &PropertyReport| {
        let why = match property.why_algorithm.as_str() {
            "" => String::new(),
            why => format!(" ({why})"),
        };
        format!("{}{why}; {}", property.algorithm, property.reduction)
    };
    let mut ways: Vec<(String, Vec<&str>)> = Vec::new();
    for property in properties {
        let way = way(property);
        match ways.iter_mut().find(|(known, _)| *known == way) {
            Some((_, names)) => names.push(&property.name),
            None => ways.push((way, vec![&property.name])),
        }
    }
    for (way, names) in ways {
        let _ = writeln!(text, "  {}: {way}", names.join(", "));
    }
}

fn property_lines(text: &mut String, property: &PropertyReport, width: usize, traces: bool) {
    let mark = match property.verdict {
        Verdict::Holds => "holds   ",
        Verdict::Violated => "VIOLATED",
        Verdict::Unknown(Reason::NothingFound(_)) => "no violation found",
        Verdict::Unknown(_) => "unknown ",
    };
    let _ = write!(text, "{mark}  {:width$}  ", property.name);
    match (&property.verdict, &property.reason) {
        (Verdict::Holds, _) => {
            if let Some(instances) = &property.instances {
                let ranges = match instances.ranges.is_empty() {
                    true => String::new(),
                    false => format!(" ({})", instances.ranges),
                };
                let _ = write!(text, "{}{ranges}, ", counted(instances.count, "instance"));
            }
            let _ = write!(text, "{}", counted(property.statistics.states, "state"));
            if let Some(ends) = property.instances.as_ref().and_then(|it| it.ends) {
                let _ = write!(text, ", {}", counted(ends, "end"));
            }
            if let Some(carried) = property.instances.as_ref().and_then(|it| it.carried.as_ref()) {
                let _ = write!(text, "; {}", carried.sentence);
            }
        }
        (_, Some(reason)) => {
            let _ = write!(text, "{reason}");
        }
        (_, None) => {}
    }
    if let Some(instance) = property.instances.as_ref().and_then(|it| it.instance.as_ref()) {
        let all = instance.arguments.iter().chain(&instance.fields);
        let all: Vec<String> = all.map(|(name, value)| format!("{name} = {value}")).collect();
        let _ = write!(text, "    instance: {}", all.join(", "));
    }
    if property.violations > 1 {
        let _ = write!(text, " ({} violations in all)", grouped(property.violations));
    }
    text.push('\n');
    if let (Some(trace), true) = (&property.trace, traces) {
        text.push('\n');
        text.push_str(&trace_text(trace));
        text.push('\n');
    }
}

/// One line that says how a search gets on, in the words of the report.
pub fn progress_line(progress: &Progress) -> String {
    let (number, count) = progress.search;
    let which = if count > 1 { format!(" ({number} of {count})") } else { String::new() };
    format!("{}{which}: {}", progress.property, cost(&progress.statistics()))
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn progress_counts_as_the_report_does() {
        let progress = Progress {
            property: "assertions, end states".to_string(),
            search: (1, 3),
            states: 1_234_567,
            transitions: 1,
            depth: 12,
            memory_bytes: 3 << 20,
            time: Duration::from_secs(2),
        };
        assert_eq!(
            progress_line(&progress),
            "assertions, end states (1 of 3): 1 234 567 states, 1 transition, depth 12, 2.00 s, \
             617 283 states/s, 3.0 MiB"
        );
    }
}
