//! What is asked of a solver, and what it may answer.

use std::time::Duration;

/// How much an answer may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// In the solver's own unit of work, the same on every machine; for Z3 about ten million a second.
    pub resources: Option<u64>,
    /// After this time the solver is killed. What is answered near the limit depends on the machine.
    pub wall: Option<Duration>,
}

impl Budget {
    pub const UNLIMITED: Budget = Budget { resources: None, wall: None };

    pub fn resources(units: u64) -> Budget {
        Budget { resources: Some(units), wall: None }
    }

    pub fn wall(time: Duration) -> Budget {
        Budget { resources: None, wall: Some(time) }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    Unsat,
    Sat,
    Unknown(UnknownReason),
}

impl Answer {
    pub fn is_unsat(&self) -> bool {
        *self == Answer::Unsat
    }

    /// Has the solver looked at the question and not refuted it, rather than run out of something?
    pub fn is_considered(&self) -> bool {
        matches!(self, Answer::Unsat | Answer::Sat | Answer::Unknown(UnknownReason::Incomplete))
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// There is nothing left to do, and yet no model for sure: the usual answer where quantifiers are involved.
    Incomplete,
    ResourceLimit,
    /// The wall limit, or a limit of the solver's own, was reached.
    Timeout,
    /// Somebody asked to stop.
    Interrupted,
    /// The process ended; what it last said.
    Died(String),
    /// The solver did not accept a command, or answered something that is no answer.
    Error(String),
}

impl std::fmt::Display for UnknownReason {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            UnknownReason::Incomplete => f.write_str("the solver gave up: its procedure is incomplete"),
            UnknownReason::ResourceLimit => f.write_str("the solver's resource limit was reached"),
            UnknownReason::Timeout => f.write_str("the time limit was reached"),
            UnknownReason::Interrupted => f.write_str("it was interrupted"),
            UnknownReason::Died(how) => write!(f, "the solver died ({how})"),
            UnknownReason::Error(what) => write!(f, "the solver reported an error: {what}"),
        }
    }
}
