//! What a static partial-order reduction says about a model: where one process may move alone.
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
}

#[derive(Clone, PartialEq, Debug)]
pub struct ReductionTable {
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
