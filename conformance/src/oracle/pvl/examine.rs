//! A text, run: every method that can be called, in every manner.

use std::collections::{BTreeMap, BTreeSet};

use pvl::resolve::resolve;
use pvl::syntax::tree::Dialect;
use pvl::syntax::{Options, parse_files};
use source::SourceMap;

use super::entries::entries;
use super::explore::{Bounds, Exploration, explore};
use super::generate::FIRST_HOLE;
use super::machine::Manner;
use super::stop::Failure;

/// What the runs of a program came to.
#[derive(Default, Debug)]
pub struct Examination {
    /// Why there are none.
    pub rejected: Option<String>,
    pub runs: Vec<Run>,
    pub sources: SourceMap,
}

/// The runs of one method on some arguments, in one manner.
#[derive(Debug)]
pub struct Run {
    pub method: String,
    pub arguments: String,
    pub manner: Manner,
    pub exploration: Exploration,
}

impl Examination {
    /// The first failure of all.
    pub fn failure(&self) -> Option<(&Run, &Failure)> {
        self.runs.iter().find_map(|run| run.exploration.failure.as_ref().map(|failure| (run, failure)))
    }

    /// The first failure in words, with its line.
    pub fn explain(&self) -> Option<String> {
        let (run, failure) = self.failure()?;
        let line = failure.place.map_or(0, |place| self.sources.place(place).line);
        let manner = match run.manner {
            Manner { erased: true, .. } => ", without ghost code",
            Manner { parallel_loops: true, .. } => ", with iterations in parallel",
            _ => "",
        };
        Some(format!(
            "{}({}){manner}: {} at line {line}: {}",
            run.method, run.arguments, failure.code, failure.detail
        ))
    }

    pub fn most_threads(&self) -> usize {
        self.runs.iter().map(|run| run.exploration.most_threads).max().unwrap_or(0)
    }
}

/// The manners in which every program is run.
pub(super) const MANNERS: [Manner; 3] = [
    Manner { garbage: 0, parallel_loops: false, erased: false, mining: false },
    Manner { garbage: 1, parallel_loops: true, erased: false, mining: false },
    Manner { garbage: 1, parallel_loops: false, erased: true, mining: false },
];

/// Whether a text can be read and every name in it means something.
pub(super) fn is_program(text: &str) -> bool {
    let mut sources = SourceMap::default();
    let file = sources.add("program.pvl", text);
    let (program, diagnostics) = parse_files(&sources, &[file], Options { dialect: Dialect::New });
    let is_good = |diagnostics: &[source::Diagnostic]| !diagnostics.iter().any(source::Diagnostic::is_error);
    is_good(&diagnostics) && is_good(&resolve(&program).1)
}

/// Fills the holes of a text with what its runs show. A hole that no run gets to becomes 0, one that has several
/// values a bound.
pub(super) fn mine(text: &str) -> String {
    let manner = |garbage| Manner { garbage, parallel_loops: false, erased: false, mining: true };
    let bounds = Bounds { runs: 40, steps: 60_000 };
    let examination = examine_in(text, Dialect::New, true, bounds, &[manner(0), manner(1)]);
    let mut seen: BTreeMap<i128, BTreeSet<i128>> = BTreeMap::new();
    for run in &examination.runs {
        for (hole, values) in &run.exploration.holes {
            seen.entry(*hole).or_default().extend(values);
        }
    }
    let mut filled = text.to_string();
    for hole in FIRST_HOLE..FIRST_HOLE + 60 {
        let values = seen.get(&hole);
        let first = values.and_then(BTreeSet::first).copied().unwrap_or(0);
        let is_one = values.is_none_or(|values| values.len() == 1);
        filled =
            filled.replace(&format!("== {hole}"), &format!("{} {first}", if is_one { "==" } else { ">=" }));
    }
    filled
}

/// Runs all methods of a text that have values to be called with; with `closed`, those without parameters only.
pub fn examine(text: &str, dialect: Dialect, closed: bool, bounds: Bounds) -> Examination {
    examine_in(text, dialect, closed, bounds, &MANNERS)
}

fn examine_in(text: &str, dialect: Dialect, closed: bool, bounds: Bounds, manners: &[Manner]) -> Examination {
    let mut sources = SourceMap::default();
    let file = sources.add("program.pvl", text);
    let (program, mut diagnostics) = parse_files(&sources, &[file], Options { dialect });
    let mut examination = Examination::default();
    let mut steps = 0;
    if !diagnostics.iter().any(source::Diagnostic::is_error) {
        let (resolution, found) = resolve(&program);
        diagnostics.extend(found);
        if !diagnostics.iter().any(source::Diagnostic::is_error) {
            for entry in entries(&resolution) {
                if closed && entry.recipes.iter().any(|it| it.this.is_some() || !it.arguments.is_empty()) {
                    continue;
                }
                let mut own = 0;
                for recipe in &entry.recipes {
                    // One method must not keep the others from being run.
                    if own > bounds.steps || steps > 10 * bounds.steps {
                        break;
                    }
                    for manner in manners {
                        let exploration = explore(&resolution, entry.routine, recipe, *manner, bounds);
                        let failed = exploration.failure.is_some();
                        own += exploration.steps;
                        steps += exploration.steps;
                        let (method, arguments) = (entry.name.clone(), format!("{:?}", recipe.arguments));
                        examination.runs.push(Run { method, arguments, manner: *manner, exploration });
                        if failed {
                            break;
                        }
                    }
                }
            }
        }
    }
    if let Some(error) = diagnostics.iter().find(|diagnostic| diagnostic.is_error()) {
        examination.rejected = Some(format!("{}: {}", error.code, error.message));
    }
    examination.sources = sources;
    examination
}
