//! The order in which a worker takes the edges of a state.
//!
//! Workers that search the same graph are of use to each other only where they are in different parts of it. Each begins at an
//! edge of its own, which depends on the state and on the worker's number, so that it is the same at every visit; the first
//! worker takes the edges as they come.

use crate::product::{Edge, StateId};

/// Where a worker begins among the edges of a state.
#[inline]
pub(crate) fn offset(worker: usize, state: StateId, edges: usize) -> usize {
    if worker == 0 || edges == 0 {
        return 0;
    }
    // Both numbers are small: they are spread over the word before its upper half is used.
    let mut mixed = (u64::from(state.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    mixed ^= (worker as u64).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    mixed = (mixed ^ mixed >> 29).wrapping_mul(0x94D0_49BB_1331_11EB);
    (mixed >> 33) as usize % edges
}

/// Puts the edges of a state on a stack of those that wait, in a worker's order, so that the first one is on top.
#[inline]
pub(crate) fn put_waiting(waiting: &mut Vec<Edge>, worker: usize, state: StateId, edges: &[Edge]) {
    let (before, after) = edges.split_at(offset(worker, state, edges.len()));
    waiting.extend(before.iter().rev());
    waiting.extend(after.iter().rev());
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of two workers, at each second state of two edges one begins with the other edge, whichever numbers they have.
    #[test]
    fn workers_begin_with_different_edges() {
        for (first, second) in [(0, 1), (1, 2), (0, 15), (7, 62)] {
            for begin in [0, 1_000_000] {
                let differs =
                    |state: &u32| offset(first, StateId(*state), 2) != offset(second, StateId(*state), 2);
                let count = (begin..begin + 1_000).filter(differs).count();
                assert!((400..600).contains(&count), "{first} and {second} differ {count} times in 1000");
            }
        }
    }
}
