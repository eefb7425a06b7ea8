//! Which statements of a model a search executed.

/// What a search says about the statements of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// The whole state space was looked at: what is listed can never be executed.
    pub is_complete: bool,
    /// In the order of the source.
    pub processes: Vec<ProcessCoverage>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ProcessCoverage {
    pub process: String,
    /// How many statements it has.
    pub statements: usize,
    /// Those that were never executed, in the order of the source.
    pub never: Vec<Unexecuted>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unexecuted {
    pub file: String,
    pub line: u32,
    pub statement: String,
    /// A process came to the statement, but could not execute it.
    pub reached: bool,
}
