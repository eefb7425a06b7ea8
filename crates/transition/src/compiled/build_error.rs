//! What keeps a model from being compiled.

/// Why a model cannot be compiled. All but the limits mean that the model is not well formed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BuildError {
    /// An expression is nested too deeply.
    TooDeep,
    /// A state would need too many bytes.
    TooLarge,
    /// A process type has more than 65536 locations.
    TooManyLocations,
    /// An edge leads to a location that does not exist, or a start or block names one.
    BadLocation,
    /// A place names a slot that does not exist.
    BadSlot,
    /// A process type that does not exist.
    BadProcess,
    /// A local slot where no process is.
    NoProcess,
    /// An edge without an action.
    NoAction,
}

impl std::fmt::Display for BuildError {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            BuildError::TooDeep => "an expression is nested too deeply",
            BuildError::TooLarge => "a state would need too many bytes",
            BuildError::TooManyLocations => "a process type has more than 65536 locations",
            BuildError::BadLocation => "a location is named that does not exist",
            BuildError::BadSlot => "a slot is named that does not exist",
            BuildError::BadProcess => "a process type is named that does not exist",
            BuildError::NoProcess => "a local slot is named where there is no process",
            BuildError::NoAction => "an edge has no action",
        })
    }
}

impl std::error::Error for BuildError {}
