//! A small counter for each state, changed by several workers.

use crate::concurrent::SideTable;
use crate::sync::{AtomicU8, Ordering};
use crate::{StateId, StoreFull};

/// A count up to 255 for every state, zero at first.
pub struct SharedCounts {
    bytes: SideTable<AtomicU8>,
}

impl Default for SharedCounts {
    fn default() -> Self {
        SharedCounts::new()
    }
}

impl SharedCounts {
    /// All counts are zero.
    pub fn new() -> Self {
        SharedCounts { bytes: SideTable::new() }
    }

    /// The count of a state. Whoever sees it sees what was done before it was changed.
    #[inline]
    pub fn get(&self, state: StateId) -> u8 {
        self.bytes.known(state.0).map_or(0, |byte| byte.load(Ordering::SeqCst))
    }

    /// One more; the count must be below 255.
    pub fn add(&self, state: StateId) -> Result<(), StoreFull> {
        self.bytes.reach(state.0);
        self.bytes.at(state.0)?.fetch_add(1, Ordering::SeqCst);
        Ok(())
    }

    /// One less; the count must be above zero.
    pub fn subtract(&self, state: StateId) -> Result<(), StoreFull> {
        self.bytes.at(state.0)?.fetch_sub(1, Ordering::SeqCst);
        Ok(())
    }

    /// The bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.bytes.memory_bytes()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn workers_count_together() {
        let counts = SharedCounts::new();
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for number in 0..10_000 {
                        counts.add(StateId(number)).expect("memory");
                        counts.add(StateId(number)).expect("memory");
                        counts.subtract(StateId(number)).expect("memory");
                    }
                });
            }
        });
        assert!((0..10_000).all(|number| counts.get(StateId(number)) == 4));
        assert_eq!(counts.get(StateId(4_000_000_000)), 0);
    }
}
