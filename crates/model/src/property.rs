//! What can be asked of a model: one search each.

use temporal::Automaton;
use verdict::PropertyKind;

use crate::port::{AtomId, FormulaId};

/// A property of a model.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Property {
    /// Assertions, errors at run time and end states.
    Safety,
    /// A formula that holds on all runs.
    Formula {
        /// What it is called, or how it is written.
        name: String,
        /// The formula.
        formula: FormulaId,
    },
    /// A claim of the model, by its position in [`crate::Contents::claims`].
    Claim {
        /// What it is called.
        name: String,
        /// Its position.
        index: usize,
    },
    /// No run is accepted by an automaton. Each of its propositions is a condition over the model, or there is a
    /// sentence that says which is not.
    Automaton {
        /// What it is called.
        name: String,
        /// The automaton.
        automaton: Automaton,
        /// The condition of each proposition.
        atoms: Result<Vec<AtomId>, String>,
    },
    /// No run visits accepting places again and again.
    AcceptingLocations,
    /// No run goes on for ever without progress.
    NonProgress,
}

impl Property {
    /// The name under which it is reported.
    pub fn name(&self) -> String {
        match self {
            Property::Safety => "assertions".to_string(),
            Property::Formula { name, .. }
            | Property::Claim { name, .. }
            | Property::Automaton { name, .. } => name.clone(),
            Property::AcceptingLocations => "accepting cycles".to_string(),
            Property::NonProgress => "non-progress cycles".to_string(),
        }
    }

    /// The names of the properties that are reported for it.
    pub fn report_names(&self) -> Vec<String> {
        match self {
            Property::Safety => vec!["assertions".to_string(), "end states".to_string()],
            _ => vec![self.name()],
        }
    }

    /// What it is about.
    pub fn kind(&self) -> PropertyKind {
        match self {
            Property::Safety => PropertyKind::Assertion,
            Property::NonProgress => PropertyKind::Progress,
            _ => PropertyKind::Acceptance,
        }
    }
}
