//! Checking a model: all its properties, or the one that was asked for.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use model::{Answer, LoadOptions, PartialOrder, Property, Reductions, Refused, SearchOptions, StoreKind};
use search::Algorithm;
use source::{Diagnostic, Severity, SourceMap};
use verdict::{CheckReport, Limits, Observer, Silent, Statistics, Verdict};

use crate::checkpoint::{CheckpointOptions, Checkpoints, model_sum};
use crate::files::{Loaded, load_model, open_new};
use crate::registry::Registry;
use crate::selection::{PropertySelection, properties};
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
    /// Say which statements were never executed.
    pub coverage: bool,
    /// A shortest counterexample: for runs without end the shortest stem, then the shortest cycle.
    pub shortest: bool,
    /// A valid end needs empty channels.
    pub strict_ends: bool,
    pub weak_fairness: bool,
    /// For all searches together; none: as many as there are cores, and those beyond the first begin where a search turns
    /// out to be long.
    pub workers: Option<usize>,
    /// How states are kept.
    pub store: StoreKind,
    /// For all searches together.
    pub time: Option<Duration>,
    /// For each search.
    pub limits: Limits,
    /// Where the transition system is written.
    pub transitions: Option<PathBuf>,
    /// Where the run is kept, so that it can be taken up again.
    pub checkpoint: Option<CheckpointOptions>,
    /// The folder with a checkpoint that the run is taken up from.
    pub resume: Option<PathBuf>,
}

impl Default for CheckOptions {
    /// All properties that stand in a model, with all reductions, one after the other.
    fn default() -> CheckOptions {
        CheckOptions {
            load: LoadOptions::default(),
            selection: PropertySelection::default(),
            algorithm: None,
            reductions: Reductions { partial_order: PartialOrder::Inside, optimise: true },
            all_errors: false,
            coverage: false,
            shortest: false,
            strict_ends: false,
            weak_fairness: false,
            workers: Some(1),
            store: StoreKind::Exact,
            time: None,
            limits: Limits::default(),
            transitions: None,
            checkpoint: None,
            resume: None,
        }
    }
}

/// More workers than this cannot be told apart by every search.
pub const MOST_WORKERS: usize = 64;

impl CheckOptions {
    /// How many workers there are for all searches together.
    pub(crate) fn all_workers(&self) -> usize {
        self.workers.unwrap_or_else(|| {
            let cores = std::thread::available_parallelism().map_or(1, usize::from);
            cores.min(MOST_WORKERS)
        })
    }

    /// How each property is searched, by so many workers.
    pub(crate) fn search(&self, workers: usize, limits: Limits) -> SearchOptions {
        SearchOptions {
            algorithm: self.algorithm,
            reductions: self.reductions,
            all_errors: self.all_errors,
            coverage: self.coverage,
            shortest: self.shortest,
            strict_ends: self.strict_ends,
            weak_fairness: self.weak_fairness,
            workers,
            head_start: if self.workers.is_none() { search::HEAD_START } else { 0 },
            store: self.store,
            keeper: None,
            only_ask: false,
            limits,
        }
    }
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

    /// An error with a code that is about no place in a text.
    pub(crate) fn coded(code: &'static str, message: impl Into<String>) -> Failure {
        let diagnostic = without_place(Severity::Error, code, message.into());
        Failure { diagnostics: vec![diagnostic], ..Failure::default() }
    }

    fn refused(Refused { code, sentence }: Refused) -> Failure {
        match code {
            Some(code) => Failure::coded(code, sentence),
            None => Failure::message(sentence),
        }
    }
}

/// A message that is about no place in a text.
pub(crate) fn without_place(severity: Severity, code: &'static str, message: String) -> Diagnostic {
    Diagnostic { severity, code, message, labels: Vec::new(), help: None }
}

/// What checking found, with the texts its places are in.
pub struct Checked {
    pub report: CheckReport,
    pub sources: SourceMap,
    pub warnings: Vec<Diagnostic>,
}

/// Reads a model in one of the standard languages and checks its properties.
pub fn check(
    path: &Path,
    options: &CheckOptions,
    observer: &mut (dyn Observer + Send),
) -> Result<Checked, Failure> {
    check_in(&Registry::standard(), path, options, observer)
}

/// Reads a model in one of the languages of a registry and checks its properties.
pub fn check_in(
    registry: &Registry,
    path: &Path,
    options: &CheckOptions,
    observer: &mut (dyn Observer + Send),
) -> Result<Checked, Failure> {
    let mut loaded = load_model(registry, path, &options.load)?;
    let model = model_sum(&loaded);
    let properties = match properties(&mut loaded, options) {
        Ok(properties) => properties,
        Err(mut failure) => {
            failure.sources = loaded.sources;
            return Err(failure);
        }
    };
    if let Some(path) = &options.transitions {
        let deadline = options.time.and_then(|time| Instant::now().checked_add(time));
        let limits = Limits { deadline, ..options.limits.clone() };
        if let Err(message) = loaded.model.write_transitions(&limits, &mut || open_new(path)) {
            let message = format!("{}: {message}", path.display());
            return Err(Failure { sources: loaded.sources, ..Failure::message(message) });
        }
    }
    let checkpoints = match Checkpoints::new(model, &properties, options) {
        Ok(checkpoints) => checkpoints,
        Err(failure) => return Err(Failure { sources: loaded.sources, ..failure }),
    };
    if let Some(refused) = refusal(&loaded, &properties, options, checkpoints.as_ref()) {
        return Err(Failure { sources: loaded.sources, ..Failure::refused(refused) });
    }
    let results = run_all(&loaded, &properties, options, checkpoints.as_ref(), observer);
    let mut report = CheckReport {
        model: loaded.name.clone(),
        verdict: Verdict::Holds,
        statistics: Statistics::default(),
        properties: Vec::new(),
        coverage: None,
    };
    let mut warnings = loaded.warnings;
    for result in results {
        match result {
            Ok(Answer { refused: Some(refused), .. }) => {
                return Err(Failure { sources: loaded.sources, ..Failure::refused(refused) });
            }
            Ok(answer) => {
                add(&mut report.statistics, &answer.statistics);
                report.properties.extend(answer.reports);
                report.coverage = report.coverage.or(answer.coverage);
                warnings.extend(answer.warnings);
            }
            Err(diagnostics) => {
                return Err(Failure { sources: loaded.sources, diagnostics, ..Failure::default() });
            }
        }
    }
    report.verdict = report
        .properties
        .iter()
        .fold(Verdict::Holds, |verdict, property| verdict.and(property.verdict.clone()));
    warnings.extend(checkpoints.and_then(|checkpoints| checkpoints.warning()));
    Ok(Checked { report, sources: loaded.sources, warnings })
}

/// Why one of the searches cannot be made as it is asked for, before any is made.
fn refusal(
    loaded: &Loaded,
    properties: &[Property],
    options: &CheckOptions,
    checkpoints: Option<&Checkpoints>,
) -> Option<Refused> {
    if options.store == StoreKind::Exact && checkpoints.is_none() {
        return None;
    }
    let keeper = checkpoints.map(|checkpoints| checkpoints.keeper(0));
    let asked = SearchOptions { only_ask: true, keeper, ..options.search(1, options.limits.clone()) };
    let answers =
        properties.iter().map(|property| loaded.model.check(&loaded.sources, property, &asked, &mut Silent));
    answers.filter_map(Result::ok).find_map(|answer| answer.refused)
}

fn add(total: &mut Statistics, more: &Statistics) {
    total.states += more.states;
    total.transitions += more.transitions;
    total.expansions += more.expansions;
    total.waits += more.waits;
    total.depth = total.depth.max(more.depth);
    total.time += more.time;
    total.peak_memory_bytes = total.peak_memory_bytes.max(more.peak_memory_bytes);
}
