//! Eight marks for each state, set by several workers and never taken back.

use crate::concurrent::SideTable;
use crate::sync::{AtomicU8, Ordering};
use crate::{StateId, StoreFull};

/// A set of up to eight marks for every state. What a worker did before it set a mark is seen by whoever sees the mark.
pub struct SharedColours {
    bytes: SideTable<AtomicU8>,
}

impl Default for SharedColours {
    fn default() -> Self {
        SharedColours::new()
    }
}

impl SharedColours {
    /// No state has a mark.
    pub fn new() -> Self {
        SharedColours { bytes: SideTable::new() }
    }

    /// The marks of a state.
    #[inline]
    pub fn get(&self, state: StateId) -> u8 {
        self.bytes.known(state.0).map_or(0, |byte| byte.load(Ordering::Acquire))
    }

    /// Sets marks of a state, and gives those that it had.
    #[inline]
    pub fn set(&self, state: StateId, marks: u8) -> Result<u8, StoreFull> {
        self.bytes.reach(state.0);
        Ok(self.bytes.at(state.0)?.fetch_or(marks, Ordering::AcqRel))
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
    fn of_several_workers_one_sets_a_mark() {
        let colours = SharedColours::new();
        let first: usize = std::thread::scope(|scope| {
            let work = || {
                let set = |number: &u32| colours.set(StateId(*number), 4).expect("memory") & 4 == 0;
                (0..100_000).filter(set).count()
            };
            let handles: Vec<_> = (0..4).map(|_| scope.spawn(work)).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).sum()
        });
        assert_eq!(first, 100_000);
        colours.set(StateId(7), 1).expect("memory");
        assert_eq!((colours.get(StateId(7)), colours.get(StateId(8))), (5, 4));
        assert_eq!(colours.get(StateId(4_000_000_000)), 0);
    }
}
