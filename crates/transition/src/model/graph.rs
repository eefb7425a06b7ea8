//! Process types, their control-flow graphs, and the model as a whole.

use super::{Action, Expr, Place};
use source::Span;

/// The range of values a slot holds. Stored values are cut to the low `bits` bits and sign-extended
/// where `signed`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Scalar {
    pub bits: u8,
    pub signed: bool,
}

impl Scalar {
    pub const BIT: Scalar = Scalar { bits: 1, signed: false };
    pub const BYTE: Scalar = Scalar { bits: 8, signed: false };
    pub const SHORT: Scalar = Scalar { bits: 16, signed: true };
    pub const INT: Scalar = Scalar { bits: 32, signed: true };

    /// Cuts a value to what a slot of this kind keeps of it.
    pub fn cut(self, value: i32) -> i32 {
        let unused = 32 - u32::from(self.bits.clamp(1, 32));
        if self.signed { value << unused >> unused } else { ((value as u32) << unused >> unused) as i32 }
    }
}

/// A scalar variable, or one element of an array or field of a structure.
#[derive(Clone, PartialEq, Debug)]
pub struct Slot {
    /// As people write it: `x`, `a[2]`, `m.f[1]`.
    pub name: String,
    pub scalar: Scalar,
    /// Not part of the state for comparison: keeps its value along a path but is never stored.
    pub hidden: bool,
    /// Show the value by these names instead of as a number (index into [`Model::enumerations`]).
    pub enumeration: Option<u32>,
    /// The value is a channel number.
    pub is_channel: bool,
}

/// How a slot gets its first value when its scope is created. Run in order; an expression of a process
/// initialiser is evaluated in the new process, seeing the globals as they are.
#[derive(Clone, PartialEq, Debug)]
pub enum Initialiser {
    Value(Place, Expr),
    /// The number of a channel that is created here.
    Channel(Place, ChannelType),
}

#[derive(Clone, PartialEq, Debug)]
pub struct ChannelType {
    /// 0: handshake.
    pub capacity: u32,
    pub fields: Vec<Scalar>,
    /// For messages to people, by field; see [`Slot::enumeration`].
    pub enumerations: Vec<Option<u32>>,
    /// As declared.
    pub name: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct ProcessTypeId(pub u32);

/// A location of one process type.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct LocationId(pub u32);

/// The index of an edge within its location.
pub type EdgeId = u32;

/// A statement as people see it.
#[derive(Clone, PartialEq, Debug)]
pub struct Statement {
    /// Two edges with the same number come from the same statement, whatever was merged with it.
    pub number: u32,
    pub text: String,
    pub span: Span,
}

impl Statement {
    /// The number of a process's end.
    pub const END: u32 = u32::MAX;
    /// The number of a jump that was generated and stands in no source.
    pub const JUMP: u32 = u32::MAX - 1;
}

#[derive(Clone, PartialEq, Debug)]
pub struct Edge {
    /// Executed in order as one step. Only the first may block; a model without merging has exactly one.
    pub actions: Vec<Action>,
    /// Parallel to `actions`.
    pub statements: Vec<Statement>,
    pub target: LocationId,
    /// The process keeps exclusive control at the target.
    pub atomic: bool,
    /// 0: an ordinary edge; else the edge belongs to this escape, see the module's rule 2.
    pub escape: u32,
    /// Set to 0 after the actions: their values are never read again.
    pub resets: Vec<Place>,
}

#[derive(Clone, PartialEq, Default, Debug)]
pub struct Location {
    pub edges: Vec<Edge>,
    /// A process may rest here for ever.
    pub is_end: bool,
    pub is_accepting: bool,
    pub is_progress: bool,
    /// Inside a deterministic block. Control rests here only while a block that never ends is followed
    /// statement by statement: the first executable edge is taken then, and nobody else moves.
    pub in_step: bool,
    pub labels: Vec<String>,
}

/// When a process may move.
#[derive(Clone, PartialEq, Debug)]
pub struct Provided {
    /// It may while this is not 0.
    pub condition: Expr,
    /// As the source says it.
    pub text: String,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ProcessType {
    pub name: String,
    /// The first `parameters` slots are set from the arguments of `run`.
    pub parameters: u32,
    pub locals: Vec<Slot>,
    pub initialisers: Vec<Initialiser>,
    pub locations: Vec<Location>,
    pub start: LocationId,
    pub provided: Option<Provided>,
    pub priority: u8,
    /// Two executable edges at once are [`Fault::NotDeterministic`].
    pub deterministic: bool,
}

/// What can go wrong in a step.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Fault {
    Assertion,
    IndexOutOfRange,
    DivisionByZero,
    /// An operation on number 0 or on one that is no channel.
    NoSuchChannel,
    /// A send with more fields than the messages of the channel have.
    MessageTooLong,
    /// A send with fewer.
    MessageTooShort,
    /// A receive or a poll that asks for more fields than the messages of the channel have.
    ReceiveTooLong,
    TooManyProcesses,
    TooManyChannels,
    BlockInStep,
    /// A deterministic block comes back to where it was before.
    StepDoesNotEnd,
    NotDeterministic,
    /// An event of the channels under [`Model::trace`] that the trace does not allow (or a `notrace` does).
    EventTrace,
}

impl Fault {
    pub const ALL: [Fault; 13] = [
        Fault::Assertion,
        Fault::IndexOutOfRange,
        Fault::DivisionByZero,
        Fault::NoSuchChannel,
        Fault::MessageTooLong,
        Fault::MessageTooShort,
        Fault::ReceiveTooLong,
        Fault::TooManyProcesses,
        Fault::TooManyChannels,
        Fault::BlockInStep,
        Fault::StepDoesNotEnd,
        Fault::NotDeterministic,
        Fault::EventTrace,
    ];
}

/// A `never` claim: an automaton that moves in step with the system, one edge for each step.
#[derive(Clone, PartialEq, Debug)]
pub struct Claim {
    pub name: String,
    /// A process type whose edges are conditions; it reads the system's state.
    pub process: ProcessType,
}

/// A `trace` (or `notrace`): the order in which events on its channels must (must not) happen.
#[derive(Clone, PartialEq, Debug)]
pub struct EventTrace {
    pub forbidden: bool,
    /// Edges are sends and receives on channels whose expression loads a global slot.
    pub process: ProcessType,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Model {
    pub globals: Vec<Slot>,
    pub initialisers: Vec<Initialiser>,
    pub processes: Vec<ProcessType>,
    /// The processes that exist at the start, in order of pid.
    pub active: Vec<ProcessTypeId>,
    pub claims: Vec<Claim>,
    pub trace: Option<EventTrace>,
    /// Names of values: `enumerations[e]` lists (value, name).
    pub enumerations: Vec<Vec<(i32, String)>>,
    /// Some expression reads [`Expr::Last`]: the last mover is then part of the state.
    pub uses_last: bool,
    /// Some priority is not the default: rule 1 applies, and priorities are part of the state where they
    /// can change.
    pub uses_priorities: bool,
    pub uses_timeout: bool,
    /// A send to a full channel can be executed, and its message is lost: no event, no change of the channel.
    pub loses_messages: bool,
    /// A deterministic block that takes more steps is taken not to end, although it may. No limit but
    /// `u64::MAX` is right for anything but tests.
    pub block_step_limit: u64,
}

impl Model {
    pub fn process(&self, id: ProcessTypeId) -> &ProcessType {
        &self.processes[id.0 as usize]
    }
}

impl ProcessType {
    pub fn location(&self, id: LocationId) -> &Location {
        &self.locations[id.0 as usize]
    }
}
