//! How models are read and searched.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;

use search::{Algorithm, Keeper};
use store::Lossy;
use verdict::Limits;

/// How a model is read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LoadOptions {
    /// `-D NAME[=VALUE]`
    pub defines: Vec<String>,
    /// `-U NAME`
    pub undefines: Vec<String>,
    /// `-I DIR`
    pub include_paths: Vec<PathBuf>,
    /// `-m`: messages that are sent to full channels are lost.
    pub loses_messages: bool,
    /// Options that only one language has, by their names in [`crate::ModelLanguage::options`], in the order in which
    /// they were given.
    pub own: Vec<(String, String)>,
}

impl LoadOptions {
    /// The values that were given for an option of the language's own.
    pub fn own_values(&self, name: &str) -> impl Iterator<Item = &str> {
        self.own.iter().filter(move |(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// An option that a model language has and others have not. Its values are texts, which only the language reads.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LanguageOption {
    /// A word, such as `process`.
    pub name: &'static str,
    /// What stands for its value in a help text, such as `NAME`.
    pub value: &'static str,
    /// What it is for, in one line.
    pub help: &'static str,
}

/// How to leave out what differs only in the order of independent steps.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PartialOrder {
    /// Not at all.
    Off,
    /// Ample sets with sticky edges: every state is a stored one.
    Sticky,
    /// Steps that one process may take alone are taken inside the expansion of the state before them.
    Inside,
}

/// Which reductions to use where they keep the property.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Reductions {
    /// Partial-order reduction.
    pub partial_order: PartialOrder,
    /// Statement merging, dead variables, write-only variables.
    pub optimise: bool,
}

impl Reductions {
    /// The model as it stands.
    pub const NONE: Reductions = Reductions { partial_order: PartialOrder::Off, optimise: false };
}

/// How a property is searched for violations.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// None: chosen by the property.
    pub algorithm: Option<Algorithm>,
    /// What is left out of the search.
    pub reductions: Reductions,
    /// Explore everything and count violations.
    pub all_errors: bool,
    /// Say which statements were never executed.
    pub coverage: bool,
    /// A shortest counterexample: for runs without end the shortest stem, then the shortest cycle.
    pub shortest: bool,
    /// A valid end needs empty channels.
    pub strict_ends: bool,
    /// Only runs in which every process that stays executable moves again and again.
    pub weak_fairness: bool,
    /// How many workers share the search, where the model and the search allow it.
    pub workers: usize,
    /// How many states the first of them expands before the others begin.
    pub head_start: u64,
    /// How states are kept.
    pub store: StoreKind,
    /// Who keeps the search, so that it can be taken up again.
    pub keeper: Option<Arc<dyn KeepsSearch>>,
    /// Only find out whether the search would be refused.
    pub only_ask: bool,
    /// When to stop.
    pub limits: Limits,
}

/// Somebody who keeps a search, or has kept it.
pub trait KeepsSearch: Keeper + Send + std::fmt::Debug {
    /// Whether checkpoints are to be taken.
    fn is_keeping(&self) -> bool;

    /// The last checkpoint; none where the search begins.
    fn last(&self) -> std::io::Result<Option<Box<dyn Read>>>;
}

/// How the states of a search are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum StoreKind {
    /// As they are.
    #[default]
    Exact,
    /// In a way that may take a state for one that is known. Nothing is shown by what was not found.
    Lossy(Lossy),
}

impl SearchOptions {
    /// The reductions of the search. Where the shortest run is asked for, every step is one of the search.
    pub(crate) fn reductions(&self) -> Reductions {
        let partial_order = match self.reductions.partial_order {
            PartialOrder::Inside if self.shortest => PartialOrder::Sticky,
            asked => asked,
        };
        Reductions { partial_order, ..self.reductions }
    }
}
