//! A counterexample as people read it: who did what, where, and what changed.
//!
//! A trace is made by the reference interpreter while it replays what a search found, so it tells what the
//! model does, not what the search believes.

/// A run that refutes a property, or that a simulation went through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Trace {
    /// Names of the processes by pid, as far as they took part.
    pub processes: Vec<String>,
    /// From the initial state on.
    pub stem: Vec<TraceStep>,
    /// Repeated for ever after the stem; empty where the run ends, or where its last state repeats.
    pub cycle: Vec<TraceStep>,
    pub cause: Cause,
}

impl Trace {
    pub fn steps(&self) -> impl Iterator<Item = &TraceStep> {
        self.stem.iter().chain(&self.cycle)
    }
}

/// One edge of one process, or a handshake.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TraceStep {
    pub pid: u8,
    pub process: String,
    pub file: String,
    pub line: u32,
    pub statement: String,
    /// The receiving side of a handshake.
    pub partner: Option<Box<TraceStep>>,
    pub changes: Vec<Change>,
    /// A message that went into or out of a channel.
    pub message: Option<Message>,
    /// What the statement printed.
    pub output: Option<String>,
    /// The next step belongs to the same atomic sequence.
    pub atomic: bool,
    /// A jump that was generated: it is replayed, but there is nothing to show.
    pub jump: bool,
    /// Which edge it was: location and position there. Together with the pids this replays the step.
    pub edge: (u32, u32),
    /// The action and its arguments, where steps are actions.
    pub action: Option<(String, Vec<String>)>,
}

/// A variable that got another value.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    pub variable: String,
    pub before: String,
    pub after: String,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    pub channel: String,
    pub passage: Passage,
    pub fields: Vec<String>,
}

/// What happens to a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Passage {
    Sent,
    /// Sent to a full channel, in a model that loses such messages.
    Lost,
    Received,
}

/// Why the run refutes the property.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Cause {
    /// It refutes nothing: a simulation.
    #[default]
    None,
    /// The assertion of the last step is false.
    Assertion { text: String },
    /// The last step has no meaning; the sentence says why.
    RuntimeError { what: String },
    /// Nothing can move, and these processes may not rest where they are.
    InvalidEndState {
        waiting: Vec<Waiting>,
        /// What the `trace` declaration still waits for, if that is what may not rest.
        unfinished: Option<String>,
    },
    /// The property is false after the last step, whatever follows; the sentence says what is false.
    Prefix { what: String },
    /// The cycle repeats what the property forbids; the sentence says what.
    Cycle { what: String },
}

/// A process that waits, and for what.
#[derive(Clone, Debug, PartialEq)]
pub struct Waiting {
    pub pid: u8,
    pub process: String,
    pub file: String,
    pub line: u32,
    /// For each statement it could execute: the statement and why it cannot.
    pub for_what: Vec<(String, String)>,
    /// It may rest here.
    pub may_rest: bool,
}

/// A state of a model as people look at it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Snapshot {
    /// Global variables and their values.
    pub variables: Vec<(String, String)>,
    /// Channels and the messages in them, the oldest first.
    pub channels: Vec<(String, Vec<String>)>,
    pub processes: Vec<ProcessSnapshot>,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProcessSnapshot {
    pub pid: u8,
    pub process: String,
    pub file: String,
    pub line: u32,
    /// The statements it may execute next.
    pub next: Vec<String>,
    pub variables: Vec<(String, String)>,
}
