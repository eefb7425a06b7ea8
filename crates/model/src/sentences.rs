//! Why a run refutes a property about runs, in words.

use evidence::Refuted;
use verdict::{Cause, Trace};

/// The property is false after the last step of the trace, whatever follows.
pub(crate) fn refuted_early(trace: &mut Trace, refuted: &Refuted, of_formula: bool) -> String {
    let place = match trace.stem.iter().rev().find(|step| !step.jump) {
        Some(step) => format!("after {}:{}", step.file, step.line),
        None => "in the initial state".to_string(),
    };
    let what = match &refuted.part {
        Some(part) => format!("`{part}` is false {place}, and with it the formula, whatever follows"),
        None if of_formula => format!("the formula is false {place}, whatever follows"),
        None => format!("the claim accepts this run {place}, whatever follows"),
    };
    trace.cause = Cause::Prefix { what: what.clone() };
    what
}

/// The property is false on the run as a whole.
pub(crate) fn refuted_by_cycle(trace: &mut Trace, of_formula: bool) -> String {
    let what = match (of_formula, trace.cycle.is_empty()) {
        (false, _) => "the claim accepts this run",
        (true, true) => "the formula is false on this run, which then stops",
        (true, false) => "the formula is false on this run, which repeats its cycle for ever",
    };
    trace.cause = Cause::Cycle { what: what.to_string() };
    what.to_string()
}
