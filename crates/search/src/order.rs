//! The order in which a worker takes the edges of a state.
//!
//! Workers that search the same graph are of use to each other only where they are in different parts of it. Each begins at an
//! edge of its own, which depends on the state and on the worker's number, so that it is the same at every visit; the first
//! worker takes the edges as they come.

use crate::product::StateId;

/// Where a worker begins among the edges of a state.
#[inline]
pub(crate) fn offset(worker: usize, state: StateId, edges: usize) -> usize {
    if worker == 0 || edges == 0 {
        return 0;
    }
    let mixed = (u64::from(state.0) + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15 ^ (worker as u64) << 17);
    (mixed >> 33) as usize % edges
}
