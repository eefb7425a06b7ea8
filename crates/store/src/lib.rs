//! State stores and the side tables that searches keep beside them.
//!
//! A [`TreeStore`] interns state vectors and names each by a dense [`StateId`], so that whatever a search
//! wants to remember about a state ([`Colours`], [`UnionFind`], or any [`ChunkedVec`]) is a plain array
//! indexed by that id. Everything here grows without a limit to guess beforehand, and reports the end of
//! memory or of names as a [`StoreFull`] value.
#![deny(unsafe_code)]

mod bits;
mod budget;
mod chunked;
mod colours;
mod concurrent;
mod hash;
#[cfg(all(test, loom))]
mod loom_tests;
mod lossy;
mod nodes;
mod safe_points;
mod shape;
mod shared_bits;
mod shared_colours;
mod shared_counts;
mod shared_owners;
mod shared_sets;
pub mod sync;
mod tree;
mod union_find;

/// Runs in which threads take turns that a seed decides, for tests.
#[cfg(all(debug_assertions, not(loom)))]
pub mod schedule {
    pub use crate::sync::stage::in_turns;
}

pub use bits::Bits;
pub use chunked::ChunkedVec;
pub use colours::Colours;
pub use lossy::{Forgotten, Lossy, LossySet, PROBES, StateHash};
pub use shape::Order;
pub use shared_bits::SharedBits;
pub use shared_colours::SharedColours;
pub use shared_counts::SharedCounts;
pub use shared_owners::{Owner, SharedOwners};
pub use shared_sets::{Claim, SharedSets};
pub use tree::{Expanded, FrozenStore, Inserted, ThawError, TreeStore};
pub use union_find::{Membership, UnionFind};

/// The name of a stored state: the states of a store are numbered from 0. While one worker inserts, that is the order of
/// their first insertion, without gaps; with several, each has a block of numbers, and the last ones of a block may stay
/// unused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StateId(pub u32);

impl StateId {
    /// The largest number a state can have. The few names above it are left to side tables as markers.
    pub const LAST: StateId = StateId(u32::MAX - 16);

    /// The position of this state in a side table.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// Why a store cannot take another state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFull {
    /// Every [`StateId`], or every name of an inner node, is in use.
    Names,
    /// The limit given to [`TreeStore::set_memory_limit`] would be exceeded.
    MemoryLimit,
    /// The allocator gave nothing.
    OutOfMemory,
    /// There are as many workers as there can be.
    Workers,
}

impl std::fmt::Display for StoreFull {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(match self {
            StoreFull::Names => "the state store has no state numbers left",
            StoreFull::MemoryLimit => "the memory limit of the state store is reached",
            StoreFull::OutOfMemory => "the system has no memory left for the state store",
            StoreFull::Workers => "the state store has no place for another worker",
        })
    }
}

impl std::error::Error for StoreFull {}
