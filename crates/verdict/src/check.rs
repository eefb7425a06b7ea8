//! What checking a model says: one answer for each property.

use crate::{Coverage, Statistics, Trace, Verdict};

/// What a property is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PropertyKind {
    /// Assertions, and errors at run time.
    Assertion,
    /// Invalid end states.
    Deadlock,
    /// Formulas, claims and accepting locations.
    Acceptance,
    /// Non-progress cycles.
    Progress,
}

impl PropertyKind {
    pub fn word(self) -> &'static str {
        match self {
            PropertyKind::Assertion => "assertion",
            PropertyKind::Deadlock => "deadlock",
            PropertyKind::Acceptance => "acceptance",
            PropertyKind::Progress => "progress",
        }
    }
}

/// The answer for one property.
#[derive(Clone, Debug)]
pub struct PropertyReport {
    pub name: String,
    pub kind: PropertyKind,
    pub verdict: Verdict,
    /// A sentence: what was violated and where, or why there is no answer.
    pub reason: Option<String>,
    pub statistics: Statistics,
    pub violations: u64,
    /// Which search ran, and why that one.
    pub algorithm: String,
    pub why_algorithm: String,
    /// Which reductions were used, and why not others.
    pub reduction: String,
    pub trace: Option<Trace>,
    /// Where a model was checked for given values: for which.
    pub instances: Option<Instances>,
    /// Where states were kept in a store that may forget some: in which, and how much it is to be expected to have forgotten.
    pub store: Option<LossyStore>,
}

/// A store that may take a state for one that it knows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LossyStore {
    /// A hash of so many bits for each state.
    HashCompact {
        bits: u32,
        /// That at least one state was taken for another.
        omission_probability: f64,
    },
    /// A field of bits, of which each state sets some.
    Bitstate {
        bytes: u64,
        /// Bits that a state sets.
        probes: u32,
        /// States that were taken for known ones; what lies behind them is not counted.
        expected_omissions: f64,
        /// Stored states as a part of those and the omitted ones.
        expected_coverage: f64,
    },
}

impl LossyStore {
    /// The name of such a store.
    pub fn name(&self) -> &'static str {
        match self {
            LossyStore::HashCompact { .. } => "hash-compact",
            LossyStore::Bitstate { .. } => "bitstate",
        }
    }
}

/// The values that a model was checked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instances {
    /// How many choices of values.
    pub count: u64,
    /// The ranges that they are from, as they were given.
    pub ranges: String,
    /// States in which a run may end, where they were counted.
    pub ends: Option<u64>,
    /// The one of the counterexample.
    pub instance: Option<Instance>,
    /// Of a formula: what it is worth to programs that follow the process.
    pub carried: Option<Carried>,
}

/// What a formula that holds of a process says about programs that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Carried {
    /// Whether it is a safety property; none if that was too expensive to find out.
    pub safety: Option<bool>,
    /// Whether such programs inherit it: it is a safety property over fields alone, whatever steps are repeated.
    pub inherited: bool,
    /// The same in words.
    pub sentence: String,
}

/// One choice of values, by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// Of the parameters of the process.
    pub arguments: Vec<(String, String)>,
    /// Of the fields, where the run begins.
    pub fields: Vec<(String, String)>,
}

/// The answers for a model.
#[derive(Clone, Debug)]
pub struct CheckReport {
    pub model: String,
    pub verdict: Verdict,
    /// Of all searches together; two properties that one search answered are counted once.
    pub statistics: Statistics,
    pub properties: Vec<PropertyReport>,
    /// Where it was asked for.
    pub coverage: Option<Coverage>,
}
