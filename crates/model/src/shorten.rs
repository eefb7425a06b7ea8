//! Shorter counterexamples than a depth-first search comes by.
//!
//! With `--shortest` a run is as short as it can be in steps of the search. Without, a long one is looked for once more,
//! breadth first, within limits that cost little; what was found before stays where that does not help. A run that
//! counts every error (`--all-errors`) is about the numbers and is not prolonged.

use std::time::{Duration, Instant};

use search::{Algorithm, Control, Counterexample, Outcome, Product, Question, Strength};
use verdict::{Limits, PropertyReport, Reason, Trace, Verdict};

use crate::options::{SearchOptions, StoreKind};

/// Runs of no more steps than this are short enough.
const SHORT: usize = 20;
/// The states and the time that a second look may cost, whatever the first did.
const CHEAP_STATES: u64 = 20_000;
const MOST_STATES: u64 = 200_000;
const CHEAP_TIME: Duration = Duration::from_millis(500);

/// Why a search cannot be taken where the shortest run is asked for, beyond what it objects to itself.
pub(crate) fn objection(
    algorithm: Algorithm,
    question: Question,
    options: &SearchOptions,
) -> Option<&'static str> {
    if !options.shortest || matches!(algorithm, Algorithm::Bfs | Algorithm::Levels) {
        return None;
    }
    match question {
        Question::Acceptance { strength: Strength::Terminal, .. } => Some("it does not find shortest runs"),
        _ => None,
    }
}

/// Replaces the run that a search for cycles found by a shortest one; says why not, where a limit is in the way.
pub(crate) fn shortest(
    product: &mut impl Product,
    control: &mut Control<'_>,
    algorithm: Algorithm,
    outcome: &mut Outcome,
) -> Option<Reason> {
    // A breadth-first search has found the shortest already.
    if matches!(algorithm, Algorithm::Bfs | Algorithm::Levels)
        || outcome.verdict != Verdict::Violated
        || outcome.counterexample.is_none()
    {
        return None;
    }
    match search::shortest_lasso(product, control) {
        Ok(lasso) => {
            outcome.counterexample = Some(Counterexample::Lasso(lasso));
            None
        }
        Err(halt) => Some(halt.0),
    }
}

/// The options of a second look, if one is worth it.
pub(crate) fn second_look(options: &SearchOptions, reports: &[PropertyReport]) -> Option<SearchOptions> {
    let is_long = |report: &PropertyReport| report.trace.as_ref().is_some_and(|trace| length(trace) > SHORT);
    if options.shortest || options.all_errors {
        return None;
    }
    let report = reports.iter().find(|report| is_long(report))?;
    let states = report.statistics.states.clamp(CHEAP_STATES, MOST_STATES);
    let deadline = Instant::now() + CHEAP_TIME;
    let limits = &options.limits;
    Some(SearchOptions {
        shortest: true,
        coverage: false,
        algorithm: None,
        // As many states as one worker looks at soon.
        workers: 1,
        head_start: 0,
        store: StoreKind::Exact,
        keeper: None,
        limits: Limits {
            max_states: Some(limits.max_states.map_or(states, |most| most.min(states))),
            deadline: Some(limits.deadline.map_or(deadline, |given| given.min(deadline))),
            ..limits.clone()
        },
        ..options.clone()
    })
}

/// Takes over what a second look found, where it is shorter.
pub(crate) fn take_shorter(reports: &mut [PropertyReport], second: Vec<PropertyReport>) {
    for shorter in second {
        let Some(trace) = shorter.trace else { continue };
        let same = |report: &&mut PropertyReport| report.name == shorter.name;
        if let Some(report) = reports.iter_mut().find(same)
            && report.trace.as_ref().is_some_and(|known| length(&trace) < length(known))
        {
            report.trace = Some(trace);
            report.reason = shorter.reason;
        }
    }
}

fn length(trace: &Trace) -> usize {
    trace.steps().filter(|step| !step.jump).count()
}
