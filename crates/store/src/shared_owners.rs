//! Who a state belongs to: one of many searches that run at once, or nobody any more.

use crate::concurrent::SideTable;
use crate::sync::{AtomicU32, Ordering};
use crate::{StateId, StoreFull};

/// What is known of the owner of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// Nobody has taken it.
    Nobody,
    /// The search with this number has.
    Search(u32),
    /// It is done.
    Done,
}

/// An owner for every state, nobody at first.
///
/// A word is zero for nobody, one for a state that is done, and the number of the search plus two otherwise. What a search
/// did before it changed a word is seen by whoever sees the change.
pub struct SharedOwners {
    words: SideTable<AtomicU32>,
}

const DONE: u32 = 1;

impl Default for SharedOwners {
    fn default() -> Self {
        SharedOwners::new()
    }
}

impl SharedOwners {
    /// More searches than this cannot be told apart.
    pub const MOST_SEARCHES: u32 = u32::MAX - 2;

    /// Every state belongs to nobody.
    pub fn new() -> Self {
        SharedOwners { words: SideTable::new() }
    }

    /// The owner of a state.
    #[inline]
    pub fn get(&self, state: StateId) -> Owner {
        match self.words.known(state.0).map_or(0, |word| word.load(Ordering::SeqCst)) {
            0 => Owner::Nobody,
            DONE => Owner::Done,
            word => Owner::Search(word - 2),
        }
    }

    /// Takes a state for a search if nobody has it; gives the owner that it had.
    #[inline]
    pub fn take(&self, state: StateId, search: u32) -> Result<Owner, StoreFull> {
        self.words.reach(state.0);
        let word = self.words.at(state.0)?;
        let taken = word.compare_exchange(0, search + 2, Ordering::SeqCst, Ordering::SeqCst);
        Ok(match taken {
            Ok(_) => Owner::Nobody,
            Err(DONE) => Owner::Done,
            Err(word) => Owner::Search(word - 2),
        })
    }

    /// Gives a state of one search to another.
    pub fn give(&self, state: StateId, search: u32) -> Result<(), StoreFull> {
        self.words.at(state.0)?.store(search + 2, Ordering::SeqCst);
        Ok(())
    }

    /// The state is done, whoever has it.
    pub fn finish(&self, state: StateId) -> Result<(), StoreFull> {
        self.words.reach(state.0);
        self.words.at(state.0)?.store(DONE, Ordering::SeqCst);
        Ok(())
    }

    /// The bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.words.memory_bytes()
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn of_several_searches_one_takes_a_state() {
        let owners = SharedOwners::new();
        let taken: usize = std::thread::scope(|scope| {
            let work = |search: u32| {
                let owners = &owners;
                let take = move |number: &u32| {
                    owners.take(StateId(*number), search).expect("memory") == Owner::Nobody
                };
                scope.spawn(move || (0..50_000).filter(take).count())
            };
            let handles: Vec<_> = (0..4).map(work).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).sum()
        });
        assert_eq!(taken, 50_000);
        let state = StateId(7);
        owners.give(state, 9).expect("memory");
        assert_eq!(owners.take(state, 3).expect("memory"), Owner::Search(9));
        owners.finish(state).expect("memory");
        assert_eq!((owners.get(state), owners.get(StateId(60_000))), (Owner::Done, Owner::Nobody));
    }
}
