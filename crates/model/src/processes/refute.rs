//! Small instances of a contract that was not proved, searched for a run that ends where it is false.
//!
//! What is found is a counterexample like any other: it was played again by the other interpreter. Where nothing is found
//! nothing follows: values are small, not all of them are tried, and what cannot be determined is left out. The search is
//! bounded by instances and states, so that it comes to the same end every time; the clock only guards against the worst.

use std::collections::{BTreeSet, VecDeque};
use std::time::Instant;

use process::{Explorer, Model, ProcessId, Question};
use source::SourceMap;
use verdict::{Instance, Limits, PropertyReport, Silent, Statistics, Trace, Verdict};

use super::Subject;

use super::product::ProcessProduct;
use super::search::ProcessSearch;
use crate::drive::drive;
use crate::goal::Goal;
use crate::limits;
use crate::options::{Reductions, SearchOptions, StoreKind};
use crate::property::Property;

/// What became of a search through small instances.
#[derive(Clone, Debug)]
pub enum SmallSearch {
    /// A run that ends where the contract is false: the sentence, the run, and its instance.
    Refuted {
        /// Which part of the contract is false, with its values.
        sentence: String,
        /// The run.
        trace: Trace,
        /// The values that it begins with.
        instance: Instance,
    },
    /// No run was found; nothing follows from that.
    Nothing(Covered),
}

/// What was searched.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Covered {
    /// Up to which size values were tried.
    pub size: u32,
    /// Of the last size.
    pub instances: u64,
    /// Of all sizes.
    pub states: u64,
    /// States in which a run may end.
    pub ends: u64,
    /// What was left out, and why.
    pub left_out: Option<String>,
}

impl Covered {
    /// Where something was searched, in words.
    pub fn searched(&self) -> String {
        let (instances, states) = (counted(self.instances, "instance"), counted(self.states, "state"));
        let text = format!("on {instances} with values up to size {} ({states})", self.size);
        match &self.left_out {
            Some(sentence) => format!("{text}; some were left out: {sentence}"),
            None => text,
        }
    }

    /// What was covered, in a sentence.
    pub fn sentence(&self) -> String {
        let mut text = match self.instances {
            0 => "no small values could be tried".to_string(),
            count => format!(
                "no run that refutes it was found in {} with values up to size {} ({}, {})",
                counted(count, "instance"),
                self.size,
                counted(self.states, "state"),
                counted(self.ends, "end")
            ),
        };
        if let Some(sentence) = &self.left_out {
            text.push_str(&format!("; some were left out: {sentence}"));
        }
        text
    }
}

fn counted(count: u64, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// Looks for a small run of a process that ends where its contract is false.
pub fn refute(model: &Model, foreign: &[String], process: ProcessId, sources: &SourceMap) -> SmallSearch {
    let deadline = Instant::now() + limits::SMALL_TIME;
    let mut covered = Covered::default();
    for size in limits::SMALL_SIZES {
        if Instant::now() > deadline {
            break;
        }
        let bounds = Limits {
            max_states: Some(limits::SMALL_STATES),
            max_memory_bytes: Some(limits::SMALL_MEMORY),
            deadline: Some(deadline),
            ..Limits::default()
        };
        match of_size(model, foreign, (process, size), sources, bounds, &mut covered) {
            Err(sentence) => {
                covered.left_out.get_or_insert(sentence);
            }
            Ok(None) => {}
            Ok(Some(found)) => return found,
        }
    }
    SmallSearch::Nothing(covered)
}

/// Whether a run of a process from a small store that its contract is about was seen to end. False says nothing.
pub fn is_seen_to_end(model: &Model, foreign: &[String], process: ProcessId) -> bool {
    let deadline = Instant::now() + limits::END_TIME;
    limits::END_SIZES.into_iter().take_while(|_| Instant::now() < deadline).any(|size| {
        let question = Question::small(model, process, size);
        Explorer::new(model, foreign, &question)
            .is_ok_and(|explorer| ends(explorer, deadline).unwrap_or(false))
    })
}

fn ends(mut explorer: Explorer<'_>, deadline: Instant) -> Result<bool, String> {
    let mut waiting: VecDeque<Vec<u32>> = explorer.initial()?.into();
    let mut seen: BTreeSet<Vec<u32>> = BTreeSet::new();
    let mut successors = Vec::new();
    while let Some(state) = waiting.pop_front() {
        if explorer.may_end(&state).unwrap_or(false) {
            return Ok(true);
        }
        if Instant::now() > deadline {
            return Ok(false);
        }
        if seen.len() > limits::END_STATES || explorer.successors(&state, &mut successors).is_err() {
            continue;
        }
        for successor in successors.drain(..) {
            if seen.insert(successor.words.clone()) {
                waiting.push_back(successor.words);
            }
        }
    }
    Ok(false)
}

/// One search through all instances of a size.
fn of_size(
    model: &Model,
    foreign: &[String],
    (process, size): (ProcessId, u32),
    sources: &SourceMap,
    limits: Limits,
    covered: &mut Covered,
) -> Result<Option<SmallSearch>, String> {
    let question = Question::small(model, process, size);
    let explorer = Explorer::new(model, foreign, &question)?;
    let instances = explorer.instances().len() as u64;
    let options = options(limits);
    let product = ProcessProduct::to_refute(explorer, None, &options.limits);
    let subject = Subject { model, process, atoms: &[] };
    let mut search = ProcessSearch { subject, sources, goal: &Goal::Ends, product, found: None };
    let answer = drive(&mut search, &Property::Safety, &options, &mut Silent);
    let left_out = search.product.left_out();
    let Some(answer) = answer else { return Ok(None) };
    let Statistics { states, .. } = answer.statistics;
    let Some(report) = answer.reports.into_iter().next() else { return Ok(None) };
    *covered = Covered {
        size,
        instances,
        states: covered.states + states,
        ends: search.product.ends(),
        left_out: left_out.or_else(|| unfinished(&report)),
    };
    match (report.verdict, report.reason, report.trace, search.found) {
        (Verdict::Violated, Some(sentence), Some(trace), Some(instance)) => {
            Ok(Some(SmallSearch::Refuted { sentence, trace, instance }))
        }
        _ => Ok(None),
    }
}

/// Why a search did not come to its end.
fn unfinished(report: &PropertyReport) -> Option<String> {
    match &report.verdict {
        Verdict::Unknown(reason) => Some(reason.to_string()),
        _ => None,
    }
}

pub(super) fn options(limits: Limits) -> SearchOptions {
    SearchOptions {
        algorithm: None,
        reductions: Reductions::NONE,
        all_errors: false,
        coverage: false,
        shortest: true,
        strict_ends: false,
        weak_fairness: false,
        workers: 1,
        head_start: 0,
        store: StoreKind::Exact,
        keeper: None,
        only_ask: false,
        limits,
    }
}
