//! What a model is: slots, process types as control-flow graphs, channels, and the rules by which they move.
//!
//! # How a model moves
//!
//! A *state* is the values of the global slots, a stack of process instances (type, location, local slots,
//! priority) and the contents of the channels. Instance `i` of the stack is the process with pid `i`;
//! only the youngest can be removed. A process brings the channels its type declares; they are numbered
//! from 1 in order of creation (0 is "no channel") and leave with it.
//!
//! One *step* executes one edge of one process, or a handshake: a send on a channel of capacity 0
//! together with a matching receive of another process. Which edges of a process are *executable*:
//!
//! 1. The process may move at all: its `provided` expression holds, and where the model uses priorities
//!    no process with an executable edge has a higher one.
//! 2. The edges of its location are tried in order. An edge with an [`Edge::escape`] group other than 0
//!    preempts: once an edge of one group was executable, edges of other groups (and of group 0) are not.
//!    Escape edges come first in the list.
//! 3. [`Action::Else`] is executable when no earlier edge of the same location was. A send that found its
//!    partner counts as executable; the receiving side of a handshake never does.
//! 4. [`Expr::Timeout`] is false; if the whole system has no executable edge, it is tried once more with
//!    `timeout` true.
//!
//! After an edge with [`Edge::atomic`] set, its process (for a handshake: the receiver, if the *receive*
//! edge is atomic; the sender's flag is ignored) keeps exclusive control: the state reached is *internal*,
//! only that process may move next, and internal states are neither stored nor seen by a property. If the
//! process cannot move, exclusive control is lost and the state is an ordinary one.
//!
//! A process at a location whose only edge is [`Action::End`] leaves the stack, if it is the youngest.
//!
//! Arithmetic is that of 32-bit two's complement integers with wrapping; division truncates. Values are
//! cut to the slot's [`Scalar`] when stored. Faults of evaluation are listed in [`Fault`].

mod action;
mod expr;
mod graph;
pub mod walk;

pub use action::{Action, Argument, DeterministicBlock, Pattern, RunAction, RunUse};
pub use expr::{Binary, Channel, Expr, Index, Place, Scope, Unary};
pub use graph::{
    ChannelType, Claim, Edge, EdgeId, EventTrace, Fault, Initialiser, Location, LocationId, Model,
    ProcessType, ProcessTypeId, Provided, Scalar, Slot, Statement,
};
