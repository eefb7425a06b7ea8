//! What a partial-order reduction says about a model: where one process may move alone.
//!
//! The table is made before the search (see `search::reduction`) and read by the successor function: in a
//! state where some process is at a location that is [`Safety::Safe`], or whose conditions hold, and has an
//! executable edge, the edges of that process alone are an ample set. Nothing else about the search
//! changes, so the reduction fits every emptiness check.

use crate::model::{Expr, LocationId, ProcessTypeId};

/// May the process be followed alone from a location?
#[derive(Clone, PartialEq, Debug)]
pub enum Safety {
    Unsafe,
    Safe,
    /// In a state where all of these hold.
    When(Vec<Condition>),
}

#[derive(Clone, PartialEq, Debug)]
pub enum Condition {
    /// The channel is buffered and holds a message, and no other process can ever receive from it, look at
    /// its contents, or send to it out of order.
    SoleReceiver(Expr),
    /// The channel is buffered and has room, and no other process can ever send to it or look at its
    /// contents.
    SoleSender(Expr),
    /// The channel is buffered and a [line](ChannelUse::middles): one process at most can ever send to it, one at most
    /// receive from it, and nobody looks at its contents.
    Line(Expr),
    /// No process can ever create another.
    NobodyRuns,
}

/// Slots that may hold the number of a channel a process uses.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChannelSlots {
    /// Global slots `first..=last`; they never change.
    Global { first: u32, last: u32 },
    /// Slots `first..=last` of the process; they never change after its creation.
    Local { first: u32, last: u32 },
    /// Could be any channel.
    Any,
}

/// What a process type does with channels, in any of its locations.
#[derive(Clone, PartialEq, Default, Debug)]
pub struct ChannelUse {
    /// Receives from these.
    pub receives: Vec<ChannelSlots>,
    /// Sends to these.
    pub sends: Vec<ChannelSlots>,
    /// Sends to these in sorted order.
    pub sorted_sends: Vec<ChannelSlots>,
    /// Looks at the contents of these.
    pub looks: Vec<ChannelSlots>,
    /// Sends to or receives from the first of these channels in the middle of an atomic sequence, and loses control there
    /// if it cannot go on. Nobody can tell, and the sequence might as well be two, where each of the channels is a line.
    /// Otherwise the process looks at the contents of the first. The slots are single ones.
    pub middles: Vec<Vec<ChannelSlots>>,
}

/// How it is kept from putting a process off for ever.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Construction {
    /// Ample sets are the successors of a state. The locations of the table form no cycle of steps.
    Sticky,
    /// Steps that one process may take alone are taken inside the expansion of the state before them; only states
    /// where nobody may move alone, or that close a cycle of such steps, are handed out.
    Inside,
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReductionTable {
    pub construction: Construction,
    /// By process type and location.
    pub safety: Vec<Vec<Safety>>,
    /// By process type.
    pub channel_use: Vec<ChannelUse>,
    /// By process type and location: can a process there still create another?
    pub may_run: Vec<Vec<bool>>,
}

impl ReductionTable {
    pub fn safety(&self, process: ProcessTypeId, location: LocationId) -> &Safety {
        &self.safety[process.0 as usize][location.0 as usize]
    }
}
