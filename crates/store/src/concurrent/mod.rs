//! What several workers read and write at once: memory by hand, arrays that never move, and an index that grows while
//! others insert. The only unsafe code of the crate is here; each file says what it rests on.

mod array;
mod index;
mod line;
mod memory;
#[cfg(not(loom))]
mod pages;
mod side;
mod words;

pub(crate) use array::{Array, Room};
pub(crate) use index::{Index, Place, Probe, Retired, SEGMENT_BITS, SEGMENTS, Stale, Start};
pub(crate) use side::SideTable;
pub(crate) use words::unequal;
