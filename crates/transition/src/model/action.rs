//! Actions: what an edge does, and when it can.

use super::{Channel, Expr, LocationId, Place, ProcessTypeId};

/// One value of a sent message or of a call.
pub type Argument = Expr;

/// One field of a receive or a poll.
#[derive(Clone, PartialEq, Debug)]
pub enum Pattern {
    /// Matches any value and drops it.
    Any,
    /// Matches this value only. Evaluated before anything is stored.
    Match(Expr),
    /// Matches any value and stores it (cut to the slot's scalar).
    Store(Place),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Action {
    /// Always executable, does nothing.
    Skip,
    /// Executable where no earlier edge of the location was.
    Else,
    /// Executable where the value is not 0.
    Condition(Expr),
    /// Always executable. The value is evaluated before the place's indices. With an index out of range, on
    /// either side, nothing is stored, and the step happens all the same.
    Assign(Place, Expr),
    /// Always executable; a value of 0 is [`super::Fault::Assertion`], and the step happens all the same.
    Assert(Expr),
    /// Always executable; the arguments are evaluated only for a trace or a simulation.
    Print { format: String, arguments: Vec<Expr> },
    /// Executable where the channel is not full, or where [`super::Model::loses_messages`]; on capacity 0, with a matching receive (a handshake).
    /// `sorted`: inserted before the first message that is larger, compared field by field from the first.
    Send { channel: Channel, arguments: Vec<Argument>, sorted: bool },
    /// Executable where the first message (`random`: some message, the first that matches) matches all
    /// patterns. `keep`: the message stays in the channel. Stores happen from the first field to the last.
    Receive { channel: Channel, patterns: Vec<Pattern>, random: bool, keep: bool },
    /// Creates a process. Executable as [`RunUse`] says; more than 255 processes is
    /// [`super::Fault::TooManyProcesses`].
    Run(Box<RunAction>),
    /// Sets the priority of a process (pid, value 1…255).
    SetPriority(Expr, Expr),
    /// The process leaves the stack. Executable where it is the youngest.
    End,
    /// A block executed as one: see [`DeterministicBlock`].
    Block(Box<DeterministicBlock>),
}

/// `run P(arguments)`. The new pid is the number of processes before the step.
#[derive(Clone, PartialEq, Debug)]
pub struct RunAction {
    pub process: ProcessTypeId,
    pub arguments: Vec<Argument>,
    /// Priority of the new process; `None`: its type's.
    pub priority: Option<Expr>,
    pub then: RunUse,
}

/// What becomes of the pid; [`Expr::RunResult`] stands for it.
#[derive(Clone, PartialEq, Debug)]
pub enum RunUse {
    /// The step is executable where this is not 0 (evaluated before the process exists).
    Condition(Expr),
    /// Always executable; afterwards the place gets the value.
    Assign(Place, Expr),
}

/// A deterministic block (`d_step`): a graph of its own among the locations of the process type.
///
/// Executable where an edge of `entry` is. From there the first executable edge is taken at each location
/// until `exit` is reached; no internal state is visible. A location on the way without an executable edge
/// is [`super::Fault::BlockInStep`]; a state of the block that comes back is
/// [`super::Fault::StepDoesNotEnd`]. A handshake receive may stand on an edge of `entry` only.
#[derive(Clone, PartialEq, Debug)]
pub struct DeterministicBlock {
    pub entry: LocationId,
    pub exit: LocationId,
}
