//! One mark for each state, set by several workers and never taken back, in one bit.

use crate::bits::Bits;
use crate::concurrent::SideTable;
use crate::sync::{AtomicU8, Ordering};
use crate::{StateId, StoreFull};

/// A set of states to which several workers add.
pub struct SharedBits {
    bytes: SideTable<AtomicU8>,
}

impl Default for SharedBits {
    fn default() -> Self {
        SharedBits::new()
    }
}

impl SharedBits {
    /// The empty set.
    pub fn new() -> Self {
        SharedBits { bytes: SideTable::new() }
    }

    /// Adds a state; says whether it was not there. Of several workers one is told so.
    #[inline]
    pub fn insert(&self, state: StateId) -> Result<bool, StoreFull> {
        let bit = 1 << (state.0 % 8);
        self.bytes.reach(state.0 / 8);
        Ok(self.bytes.at(state.0 / 8)?.fetch_or(bit, Ordering::AcqRel) & bit == 0)
    }

    /// Whether a state is in the set.
    #[inline]
    pub fn contains(&self, state: StateId) -> bool {
        let byte = self.bytes.known(state.0 / 8).map_or(0, |byte| byte.load(Ordering::Acquire));
        byte >> (state.0 % 8) & 1 != 0
    }

    /// The states below a bound that are in the set. Nobody may add any meanwhile.
    pub fn below(&self, bound: usize) -> Bits {
        let byte = |number: usize| {
            self.bytes.known(number as u32).map_or(0, |byte| u64::from(byte.load(Ordering::Acquire)))
        };
        let block = |number: usize| (0..8).map(|part| byte(8 * number + part) << (8 * part)).sum();
        Bits::of_blocks((0..bound.div_ceil(64)).map(block).collect())
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
    fn of_several_workers_one_adds_a_state() {
        let set = SharedBits::new();
        let first: usize = std::thread::scope(|scope| {
            let work = || (0..100_000).filter(|number| set.insert(StateId(*number)).expect("memory")).count();
            let handles: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).sum()
        });
        assert_eq!(first, 100_000);
        assert!(set.contains(StateId(99_999)) && !set.contains(StateId(100_000)));
        assert_eq!(set.below(200_000).len(), 100_000);
        assert!(set.below(200_000).iter().map(|state| state.0).eq(0..100_000));
    }
}
