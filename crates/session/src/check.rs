//! Checking a model: all its properties, or the one that was asked for.

use std::path::Path;
use std::sync::Mutex;

use search::Algorithm;
use source::{Diagnostic, SourceMap};
use verdict::{CheckReport, Limits, Observer, Statistics, Verdict};

use crate::files::{LoadOptions, Loaded, load_model};
use crate::job::{self, Job, JobResult, PropertySelection, Reductions};

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
    /// A shortest path to a violation of a safety property.
    pub shortest: bool,
    /// A valid end needs empty channels.
    pub strict_ends: bool,
    pub weak_fairness: bool,
    pub workers: usize,
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
    let mut warnings = loaded.warnings;
    for result in results {
        match result {
            Ok(done) => {
                add(&mut report.statistics, &done.statistics);
                report.properties.extend(done.reports);
                warnings.extend(done.warnings);
            }
            Err(diagnostics) => return Err(Failure { sources: loaded.sources, diagnostics, message: None }),
        }
    }
    report.verdict = report
        .properties
        .iter()
        .fold(Verdict::Holds, |verdict, property| verdict.and(property.verdict.clone()));
    Ok(Checked { report, sources: loaded.sources, warnings })
}

/// Runs the jobs on the workers; the results come in the order of the jobs, whoever was first.
fn run_all(
    loaded: &Loaded,
    jobs: &[Job],
    options: &CheckOptions,
    observer: &mut (dyn Observer + Send),
) -> Vec<JobResult> {
    let workers = options.workers.clamp(1, jobs.len().max(1));
    if workers == 1 {
        return jobs.iter().map(|job| job::run(loaded, job, options, observer)).collect();
    }
    let next = Mutex::new(0_usize);
    let observer = Mutex::new(observer);
    let mut results: Vec<Option<JobResult>> = Vec::new();
    results.resize_with(jobs.len(), || None);
    let results = Mutex::new(results);
    std::thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = {
                        let mut next = lock(&next);
                        *next += 1;
                        *next - 1
                    };
                    let Some(job) = jobs.get(index) else { return };
                    let mut shared = SharedObserver(&observer);
                    let result = job::run(loaded, job, options, &mut shared);
                    lock(&results)[index] = Some(result);
                }
            });
        }
    });
    let results = std::mem::take(&mut *lock(&results));
    results.into_iter().flatten().collect()
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

struct SharedObserver<'a, 'o>(&'a Mutex<&'o mut (dyn Observer + Send)>);

impl Observer for SharedObserver<'_, '_> {
    fn observe(&mut self, progress: &verdict::Progress) {
        lock(self.0).observe(progress);
    }
}

fn add(total: &mut Statistics, more: &Statistics) {
    total.states += more.states;
    total.transitions += more.transitions;
    total.expansions += more.expansions;
    total.depth = total.depth.max(more.depth);
    total.time += more.time;
    total.peak_memory_bytes = total.peak_memory_bytes.max(more.peak_memory_bytes);
}
