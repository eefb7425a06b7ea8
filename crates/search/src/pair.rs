//! States for searches whose acceptance is on states, where the product has it on edges.
//!
//! Nested searches by several workers are published for accepting states. They run here on pairs of a state and whether it
//! was entered over a marked edge; the pairs that were are the accepting ones. Accepting cycles of the pairs are those of the
//! product. A state that is entered in both ways is searched twice.

use crate::order;
use crate::product::{Expansion, Marks, StateId};

/// A state, and whether it was entered over a marked edge.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Pair {
    pub(crate) state: StateId,
    pub(crate) is_accepting: bool,
}

/// In a byte of marks of a state: somebody has counted its edges. It belongs to the state, not to a pair.
pub(crate) const COUNTED: u8 = 1 << 7;

impl Pair {
    /// A mark of the pair in a byte for the state: of the marks 1, 2 and 4, each pair has its own.
    #[inline]
    pub(crate) fn mark(self, mark: u8) -> u8 {
        if self.is_accepting { mark << 3 } else { mark }
    }
}

/// The pairs that the edges of an expansion lead to, in a worker's order.
pub(crate) fn targets(
    out: &Expansion,
    worker: usize,
    state: StateId,
    required: Marks,
) -> impl Iterator<Item = Pair> + '_ {
    let (before, after) = out.edges.split_at(order::offset(worker, state, out.edges.len()));
    let edges = after.iter().chain(before);
    edges.map(move |edge| Pair { state: edge.target, is_accepting: edge.marks.covers(required) })
}
