//! Checking a model: all its properties, or the one that was asked for.

use std::path::Path;
use std::time::Duration;

use search::Algorithm;
use source::{Diagnostic, SourceMap};
use verdict::{CheckReport, Limits, Observer, Statistics, Verdict};

use crate::files::{LoadOptions, load_model};
use crate::job::{self, PropertySelection, Reductions};
use crate::shares::run_all;

/// What to check, and how.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    pub load: LoadOptions,
    pub selection: PropertySelection,
    /// None: chosen by the property.
    pub algorithm: Option<Algorithm>,
    pub reductions: Reductions,
    /// Explore everything and count violations.
    pub all_errors: bool,
    /// A shortest counterexample: for runs without end the shortest stem, then the shortest cycle.
    pub shortest: bool,
    /// A valid end needs empty channels.
    pub strict_ends: bool,
    pub weak_fairness: bool,
    pub workers: usize,
    /// For all searches together.
    pub time: Option<Duration>,
    /// For each search.
    pub limits: Limits,
}

/// Why nothing was checked.
#[derive(Debug, Default)]
pub struct Failure {
    pub sources: SourceMap,
    pub diagnostics: Vec<Diagnostic>,
    /// Where there is no source to point at.
    pub message: Option<String>,
}

impl Failure {
    pub fn message(message: impl Into<String>) -> Failure {
        Failure { message: Some(message.into()), ..Failure::default() }
    }
}

/// What checking found, with the texts its places are in.
pub struct Checked {
    pub report: CheckReport,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model and checks its properties.
pub fn check(
    path: &Path,
    options: &CheckOptions,
    observer: &mut (dyn Observer + Send),
) -> Result<Checked, Failure> {
    let mut loaded = load_model(path, &options.load)?;
    let jobs = match job::jobs(&mut loaded, options) {
        Ok(jobs) => jobs,
        Err(mut failure) => {
            failure.sources = loaded.sources;
            return Err(failure);
        }
    };
    let results = run_all(&loaded, &jobs, options, observer);
    let mut report = CheckReport {
        model: loaded.name.clone(),
        verdict: Verdict::Holds,
        statistics: Statistics::default(),
        properties: Vec::new(),
    };
    for result in results {
        match result {
            Ok((properties, statistics)) => {
                add(&mut report.statistics, &statistics);
                report.properties.extend(properties);
            }
            Err(diagnostics) => return Err(Failure { sources: loaded.sources, diagnostics, message: None }),
        }
    }
    report.verdict = report
        .properties
        .iter()
        .fold(Verdict::Holds, |verdict, property| verdict.and(property.verdict.clone()));
    Ok(Checked { report, sources: loaded.sources, warnings: loaded.warnings })
}

fn add(total: &mut Statistics, more: &Statistics) {
    total.states += more.states;
    total.transitions += more.transitions;
    total.expansions += more.expansions;
    total.depth = total.depth.max(more.depth);
    total.time += more.time;
    total.peak_memory_bytes = total.peak_memory_bytes.max(more.peak_memory_bytes);
}
