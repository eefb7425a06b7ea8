//! What checking a model says, for people: a line for each property, then the counterexamples.

use std::fmt::Write;

use verdict::{CheckReport, Progress, PropertyReport, Verdict};

use crate::number::{bytes, grouped};
use crate::trace_text::trace_text;

/// The verdict lines, with the counterexample of each violated property below its line where `traces`.
pub fn check_text(report: &CheckReport, traces: bool) -> String {
    let mut text = String::new();
    let width = report.properties.iter().map(|property| property.name.chars().count()).max().unwrap_or(0);
    for property in &report.properties {
        property_lines(&mut text, property, width, traces);
    }
    let total = &report.statistics;
    let rate = if total.seconds() > 0.0 { (total.states as f64 / total.seconds()) as u64 } else { 0 };
    let _ = writeln!(
        text,
        "{}: {} ({} states, {} transitions, depth {}, {:.2} s, {} states/s, {})",
        report.model,
        report.verdict.word(),
        grouped(total.states),
        grouped(total.transitions),
        grouped(total.depth),
        total.seconds(),
        grouped(rate),
        bytes(total.peak_memory_bytes),
    );
    text
}

fn property_lines(text: &mut String, property: &PropertyReport, width: usize, traces: bool) {
    let mark = match property.verdict {
        Verdict::Holds => "holds   ",
        Verdict::Violated => "VIOLATED",
        Verdict::Unknown(_) => "unknown ",
    };
    let _ = write!(text, "{mark}  {:width$}  ", property.name);
    match (&property.verdict, &property.reason) {
        (Verdict::Holds, _) => {
            let _ = write!(text, "{} states", grouped(property.statistics.states));
        }
        (_, Some(reason)) => {
            let _ = write!(text, "{reason}");
        }
        (_, None) => {}
    }
    if property.violations > 1 {
        let _ = write!(text, " ({} violations in all)", grouped(property.violations));
    }
    let _ = writeln!(text, "  [{}; {}]", property.algorithm, property.reduction);
    if let (Some(trace), true) = (&property.trace, traces) {
        text.push('\n');
        text.push_str(&trace_text(trace));
        text.push('\n');
    }
}

/// One line that says how a search gets on.
pub fn progress_line(progress: &Progress) -> String {
    let seconds = progress.time.as_secs_f64();
    let rate = if seconds > 0.0 { (progress.states as f64 / seconds) as u64 } else { 0 };
    format!(
        "{} states  {} states/s  {} transitions  depth {}  {}  {:.0} s",
        grouped(progress.states),
        grouped(rate),
        grouped(progress.transitions),
        grouped(progress.depth),
        bytes(progress.memory_bytes),
        seconds,
    )
}
