//! The compiled form of a model: flat tables of code, edges and layouts. Built once, never changed.

use super::layout::{Cell, ChannelLayout};
use super::shape::ChannelPosition;
use crate::model::{Binary, Scope, Unary};
use std::ops::Range;

/// Index of a register.
pub(super) type Register = u16;

/// Start of an expression in [`Program::code`]; it ends with [`Op::Return`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CodeId(pub(super) u32);

/// What is asked of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Query {
    Length,
    Empty,
    NotEmpty,
    Full,
    NotFull,
}

/// One instruction of the expression machine.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Op {
    Constant {
        to: Register,
        value: i32,
    },
    LoadGlobal {
        to: Register,
        cell: Cell,
    },
    LoadLocal {
        to: Register,
        cell: Cell,
    },
    /// Checks an index and adds `index · stride` to `to` (`first`: sets it).
    Index {
        to: Register,
        from: Register,
        length: u32,
        stride: u32,
        first: bool,
    },
    /// `even`: the slots from `slot` to the last that can be reached lie side by side.
    LoadGlobalAt {
        to: Register,
        slot: u32,
        index: Register,
        even: bool,
    },
    LoadLocalAt {
        to: Register,
        kind: u16,
        slot: u32,
        index: Register,
        even: bool,
    },
    Unary {
        operator: Unary,
        to: Register,
        from: Register,
    },
    Binary {
        operator: Binary,
        to: Register,
        left: Register,
        right: Register,
    },
    BinaryConstant {
        operator: Binary,
        to: Register,
        left: Register,
        right: i32,
    },
    CompareGlobal {
        operator: Binary,
        to: Register,
        cell: Cell,
        right: i32,
    },
    CompareLocal {
        operator: Binary,
        to: Register,
        cell: Cell,
        right: i32,
    },
    /// `to` becomes 0 or 1.
    Truth {
        to: Register,
        from: Register,
    },
    Jump {
        target: u32,
    },
    JumpIfZero {
        from: Register,
        target: u32,
    },
    JumpIfNotZero {
        from: Register,
        target: u32,
    },
    Pid {
        to: Register,
    },
    ProcessCount {
        to: Register,
    },
    Last {
        to: Register,
    },
    Timeout {
        to: Register,
    },
    NonProgress {
        to: Register,
    },
    RunResult {
        to: Register,
    },
    QueryGlobal {
        query: Query,
        to: Register,
        word: u32,
        layout: u32,
    },
    QueryLocal {
        query: Query,
        to: Register,
        word: u32,
        layout: u32,
    },
    QueryNumber {
        query: Query,
        to: Register,
        channel: Register,
    },
    /// 1 in `to` where the channel has capacity and a message, else 0.
    HasMessage {
        to: Register,
        channel: Register,
    },
    /// A field of the channel's first message, which is known to exist.
    MessageField {
        to: Register,
        channel: Register,
        field: u32,
    },
    /// See [`Poll`]; the values to match stand in registers.
    Poll {
        to: Register,
        channel: Register,
        poll: u32,
    },
    Enabled {
        to: Register,
        pid: Register,
    },
    ProgramCounter {
        to: Register,
        pid: Register,
    },
    Priority {
        to: Register,
        pid: Register,
    },
    FirstOfType {
        to: Register,
        kind: u32,
    },
    RemoteAt {
        to: Register,
        pid: Register,
        remote: u32,
    },
    /// `index` is added to the slot where `indexed`.
    RemoteLoad {
        to: Register,
        pid: Register,
        index: Register,
        remote: u32,
    },
    Return {
        from: Register,
    },
}

/// The fields of a poll: `None` matches anything.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Poll {
    pub(super) fields: Vec<Option<Register>>,
    pub(super) random: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct RemoteAt {
    pub(super) kind: u32,
    /// By location.
    pub(super) included: Vec<bool>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct RemoteLoad {
    pub(super) kind: u32,
    pub(super) slot: u32,
    pub(super) indexed: bool,
}

/// An expression in the cheapest form that can say it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Value {
    Constant(i32),
    Global(Cell),
    Local(Cell),
    /// The cell's value plus a constant.
    GlobalPlus(Cell, i32),
    LocalPlus(Cell, i32),
    Code(CodeId),
}

/// A condition in the cheapest form that can say it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Test {
    Always,
    Never,
    GlobalConstant {
        operator: Binary,
        cell: Cell,
        right: i32,
    },
    LocalConstant {
        operator: Binary,
        cell: Cell,
        right: i32,
    },
    /// Two values, neither of them code.
    Compare {
        operator: Binary,
        left: Value,
        right: Value,
    },
    Code(CodeId),
}

/// A place to store to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Target {
    Global(Cell),
    Local(Cell),
    /// One index with a simple value.
    Indexed {
        scope: Scope,
        slot: u32,
        value: IndexValue,
        length: u32,
        stride: u32,
    },
    /// The code gives the sum of the indices.
    Computed {
        scope: Scope,
        slot: u32,
        index: CodeId,
        even: bool,
    },
}

/// [`Value`] without the forms that would make [`Target`] large.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum IndexValue {
    Constant(i32),
    Global(Cell),
    Local(Cell),
}

/// A channel as an operand.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum ChannelOperand {
    /// A global channel that is always the same.
    Global {
        number: u32,
        position: ChannelPosition,
    },
    /// A channel of the process itself that is always the same; `word` is relative to the frame.
    Local {
        index: u32,
        position: ChannelPosition,
    },
    Number(Value),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Send {
    pub(super) channel: ChannelOperand,
    pub(super) arguments: Vec<Value>,
    pub(super) sorted: bool,
}

#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Field {
    Any,
    Match(Value),
    Store(Target),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Receive {
    pub(super) channel: ChannelOperand,
    pub(super) fields: Vec<Field>,
    pub(super) random: bool,
    pub(super) keep: bool,
    /// Some value to match depends on more than slots (locations, other processes …).
    pub(super) looks_around: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Run {
    pub(super) kind: u32,
    pub(super) arguments: Vec<Value>,
    pub(super) priority: Option<Value>,
    /// `None`: the pid was only a condition.
    pub(super) assign: Option<(Target, Value)>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Block {
    pub(super) kind: u32,
    pub(super) entry: u32,
    pub(super) exit: u32,
}

/// What decides whether an edge is executable: its first action.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum First {
    Test(Test),
    Else,
    Send(u32),
    Receive(u32),
    End,
    Block(u32),
}

/// A change of the state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Effect {
    Store {
        target: Target,
        value: Value,
    },
    Assert(Test),
    Run(u32),
    SetPriority(Value, Value),
    /// The number of the process's channel with this index.
    OpenChannel {
        target: Target,
        index: u32,
    },
    /// An action that may block, behind the first of its edge: blocking there is a fault.
    Further(First),
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Edge {
    pub(super) first: First,
    /// What happens besides sending, receiving, ending or the block that `first` stands for.
    pub(super) effects: Range<u32>,
    pub(super) target: u32,
    pub(super) atomic: bool,
    pub(super) escape: u32,
    /// The index of the edge in its location.
    pub(super) number: u32,
    /// Besides its first action it changes nothing that another process could see without looking at
    /// this one.
    pub(super) private: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Location {
    pub(super) edges: Range<u32>,
    /// A process may rest here: an end location, or one where nothing but leaving is left.
    pub(super) rests: bool,
    pub(super) is_accepting: bool,
    pub(super) is_progress: bool,
    /// Some edge may be the receiving side of a handshake.
    pub(super) may_receive: bool,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Process {
    pub(super) locations: Vec<Location>,
    /// The id of location 0; the others follow.
    pub(super) first_location: u32,
    pub(super) start: u32,
    pub(super) location_mask: u32,
    /// By slot.
    pub(super) cells: Vec<Cell>,
    pub(super) parameters: u32,
    pub(super) priority_cell: Option<Cell>,
    pub(super) priority: u8,
    pub(super) frame_words: u32,
    /// `word` is relative to the frame.
    pub(super) channels: Vec<ChannelPosition>,
    pub(super) initial: Range<u32>,
    pub(super) provided: Test,
    pub(super) deterministic: bool,
}

/// A `trace` or `notrace`.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Trace {
    pub(super) forbidden: bool,
    pub(super) cell: Cell,
    pub(super) start: u32,
    /// By location: the events that lead on, and their targets.
    pub(super) events: Vec<Vec<(Event, u32)>>,
    pub(super) rests: Vec<bool>,
    /// Locations that end the trace.
    pub(super) ends: Vec<bool>,
}

#[derive(Clone, PartialEq, Debug)]
pub(super) struct Event {
    pub(super) is_send: bool,
    pub(super) channel: Value,
    /// `None` matches anything.
    pub(super) fields: Vec<Option<Value>>,
}

#[derive(Clone, PartialEq, Debug, Default)]
pub(super) struct Program {
    pub(super) code: Vec<Op>,
    pub(super) registers: u16,
    pub(super) polls: Vec<Poll>,
    pub(super) remotes_at: Vec<RemoteAt>,
    pub(super) remotes_load: Vec<RemoteLoad>,
    pub(super) effects: Vec<Effect>,
    pub(super) edges: Vec<Edge>,
    pub(super) sends: Vec<Send>,
    pub(super) receives: Vec<Receive>,
    pub(super) runs: Vec<Run>,
    pub(super) blocks: Vec<Block>,
    pub(super) channels: Vec<ChannelLayout>,
    pub(super) processes: Vec<Process>,
    pub(super) global_cells: Vec<Cell>,
    pub(super) global_channels: Vec<ChannelPosition>,
    pub(super) global_initial: Range<u32>,
    /// Words before the first frame.
    pub(super) global_words: u32,
    /// Words that are not compared; the header word follows them.
    pub(super) hidden_words: u32,
    pub(super) active: Vec<u32>,
    pub(super) trace: Option<Trace>,
    pub(super) uses_last: bool,
    pub(super) uses_priorities: bool,
    pub(super) loses_messages: bool,
    /// No process is ever kept from moving by `provided` or priorities.
    pub(super) free_to_move: bool,
    /// Some receive looks around, see [`Receive::looks_around`].
    pub(super) looks_around: bool,
    pub(super) uses_timeout: bool,
    pub(super) block_step_limit: u32,
    pub(super) propositions: Vec<Test>,
    /// A first guess, in words.
    pub(super) width: u32,
}

impl Program {
    /// The number of the shape of a state.
    #[inline]
    pub(super) fn shape_number(&self, words: &[u32]) -> u32 {
        words[self.hidden_words as usize] & 0x00ff_ffff
    }

    #[inline]
    pub(super) fn set_shape_number(&self, words: &mut [u32], number: u32) {
        let header = &mut words[self.hidden_words as usize];
        *header = *header & 0xff00_0000 | number;
    }

    pub(super) fn last(&self, words: &[u32]) -> u8 {
        (words[self.hidden_words as usize] >> 24) as u8
    }

    #[inline]
    pub(super) fn set_last(&self, words: &mut [u32], pid: u8) {
        let header = &mut words[self.hidden_words as usize];
        *header = *header & 0x00ff_ffff | u32::from(pid) << 24;
    }
}
