//! What is asked of a solver, and what it may answer.

use std::time::Duration;

/// How much an answer may cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// In Z3's unit of work, the same on every machine, about ten million a second; for other solvers something
    /// that takes about as long.
    ///
    /// Solvers do not count everything: Z3 instantiates quantifiers at a push, without limit. Who works many times
    /// as long as the resources should last is therefore killed, which counts as reaching the limit. What others do on
    /// the machine meanwhile makes no difference where it can be told apart; see [`crate::ProcessorTime`].
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

    /// How long the resources last at most.
    pub(crate) fn longest_work(&self) -> Option<Duration> {
        // Ten times as long as usual, and then some for reading a long script.
        self.resources.map(|units| Duration::from_secs(5).saturating_add(Duration::from_micros(units)))
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
        matches!(
            self,
            Answer::Unsat
                | Answer::Sat
                | Answer::Unknown(UnknownReason::Incomplete | UnknownReason::Arithmetic)
        )
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum UnknownReason {
    /// There is nothing left to do, and yet no model for sure: the usual answer where quantifiers are involved.
    Incomplete,
    /// The procedure for arithmetic does not know: products of variables. What it takes for a model need not be one.
    Arithmetic,
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
            UnknownReason::Arithmetic => {
                f.write_str("the solver gave up: its procedure for arithmetic is incomplete")
            }
            UnknownReason::ResourceLimit => f.write_str("the solver's resource limit was reached"),
            UnknownReason::Timeout => f.write_str("the time limit was reached"),
            UnknownReason::Interrupted => f.write_str("it was interrupted"),
            UnknownReason::Died(how) => write!(f, "the solver died ({how})"),
            UnknownReason::Error(what) => write!(f, "the solver reported an error: {what}"),
        }
    }
}
