//! Expressions: pure, except that they may fault (division by zero, index out of range, bad channel).

use super::{Fault, LocationId, ProcessTypeId, Scalar};

/// Whose slot it is: one of the whole model, or one of the process.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scope {
    /// In [`super::Model::globals`].
    Global,
    /// In [`super::ProcessType::locals`] of the process that evaluates.
    Local,
}

/// A scalar slot, with as many run-time indices as arrays were passed on the way to it.
///
/// The slot read or written is `slot + Σ index · stride`. Each index must lie in `0..length`, else
/// [`super::Fault::IndexOutOfRange`]. All slots that can be reached have the same [`Scalar`], `scalar`.
#[derive(Clone, PartialEq, Debug)]
pub struct Place {
    pub scope: Scope,
    pub slot: u32,
    pub scalar: Scalar,
    pub indices: Vec<Index>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Index {
    pub value: Expr,
    pub length: u32,
    pub stride: u32,
}

/// A channel, named by the value of an expression (its number, from 1).
pub type Channel = Box<Expr>;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Unary {
    Negate,
    /// `!`: 1 if the operand is 0, else 0.
    Not,
    Complement,
}

/// `And` and `Or` evaluate their right side only where the left one does not decide; comparisons and
/// these two give 0 or 1. Shifts use the low five bits of the right side.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    Add,
    Subtract,
    Multiply,
    Divide,
    Remainder,
    BitAnd,
    BitOr,
    BitXor,
    ShiftLeft,
    ShiftRight,
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    And,
    Or,
}

impl Binary {
    /// The value of the operator on two values, both of them known.
    pub fn apply(self, left: i32, right: i32) -> Result<i32, Fault> {
        Ok(match self {
            Binary::Add => left.wrapping_add(right),
            Binary::Subtract => left.wrapping_sub(right),
            Binary::Multiply => left.wrapping_mul(right),
            Binary::Divide if right == 0 => return Err(Fault::DivisionByZero),
            Binary::Divide => left.wrapping_div(right),
            Binary::Remainder if right == 0 => return Err(Fault::DivisionByZero),
            Binary::Remainder => left.wrapping_rem(right),
            Binary::BitAnd => left & right,
            Binary::BitOr => left | right,
            Binary::BitXor => left ^ right,
            Binary::ShiftLeft => left.wrapping_shl(right as u32),
            Binary::ShiftRight => left.wrapping_shr(right as u32),
            Binary::Equal => i32::from(left == right),
            Binary::NotEqual => i32::from(left != right),
            Binary::Less => i32::from(left < right),
            Binary::LessEqual => i32::from(left <= right),
            Binary::Greater => i32::from(left > right),
            Binary::GreaterEqual => i32::from(left >= right),
            Binary::And => i32::from(left != 0 && right != 0),
            Binary::Or => i32::from(left != 0 || right != 0),
        })
    }
}

#[derive(Clone, PartialEq, Debug)]
pub enum Expr {
    Constant(i32),
    Load(Box<Place>),
    Unary(Unary, Box<Expr>),
    Binary(Binary, Box<Expr>, Box<Expr>),
    /// Condition, then, else.
    Conditional(Box<(Expr, Expr, Expr)>),
    /// The pid of the process that evaluates.
    Pid,
    /// How many processes exist.
    ProcessCount,
    /// The pid of the process that made the last step; part of the state only where
    /// [`super::Model::uses_last`].
    Last,
    /// True only in the second round, see the module's rule 4.
    Timeout,
    /// True where no process is at a progress location.
    NonProgress,
    /// Number of messages in the channel.
    Length(Channel),
    Empty(Channel),
    NotEmpty(Channel),
    Full(Channel),
    NotFull(Channel),
    /// Would this receive be executable? False on channels of capacity 0. `random`: any message may
    /// match, not only the first.
    Poll {
        channel: Channel,
        patterns: Vec<super::Pattern>,
        random: bool,
    },
    /// Has this process an executable edge (handshakes included)?
    Enabled(Box<Expr>),
    /// The location number of this process; 0 if there is none.
    ProgramCounter(Box<Expr>),
    /// The priority of this process.
    Priority(Box<Expr>),
    /// The lowest pid of a process of this type, -1 if there is none.
    FirstOfType(ProcessTypeId),
    /// Is the process with this pid of the given type and at one of these locations?
    RemoteAt {
        process: ProcessTypeId,
        pid: Box<Expr>,
        locations: Vec<LocationId>,
    },
    /// A local slot of another process (`place.scope` is `Local`); 0 if that process does not exist or is
    /// of another type.
    RemoteLoad {
        process: ProcessTypeId,
        pid: Box<Expr>,
        place: Box<Place>,
    },
    /// The pid that the `run` of the same action gives; only in [`super::RunUse`].
    RunResult,
}

impl Expr {
    pub fn is_constant(&self) -> bool {
        matches!(self, Expr::Constant(_))
    }
}
