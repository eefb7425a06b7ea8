//! Disjoint sets of states for searches that collapse strongly connected components.
//!
//! One 32-bit word per state: its parent in a forest whose trees are the sets (Tarjan 1975), shortened by
//! path halving. Two words that name no state serve as marks: a state not in any set yet, and the root of a
//! set that is finished. Finishing a set is thus one write, however large the set is.

use crate::{ChunkedVec, StateId, StoreFull};

const UNSEEN: u32 = u32::MAX;
const FINISHED: u32 = u32::MAX - 1;

/// Where a state belongs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Membership {
    /// The state is in no set.
    Unseen,
    /// The state is in the set that this state represents.
    Live(StateId),
    /// The state is in a set that was finished.
    Finished,
}

/// A partition of some states into live and finished sets.
#[derive(Clone, Debug, Default)]
pub struct UnionFind {
    parents: ChunkedVec<u32>,
}

impl UnionFind {
    /// No state is in any set.
    pub fn new() -> Self {
        UnionFind::default()
    }

    /// Puts an unseen state into a set of its own.
    pub fn add(&mut self, state: StateId) -> Result<(), StoreFull> {
        if state.index() >= self.parents.len() {
            self.parents.extend_to(state.index() + 1, UNSEEN)?;
        }
        self.parents.set(state.index(), state.0);
        Ok(())
    }

    /// Finds the set of a state and shortens the path to it.
    #[inline]
    pub fn find(&mut self, state: StateId) -> Membership {
        if state.index() >= self.parents.len() {
            return Membership::Unseen;
        }
        let mut current = state.0;
        let mut parent = self.parents.get(current as usize);
        loop {
            if parent == current {
                return Membership::Live(StateId(current));
            }
            if parent >= FINISHED {
                return if parent == FINISHED { Membership::Finished } else { Membership::Unseen };
            }
            let grandparent = self.parents.get(parent as usize);
            // A child of a finished root is finished itself, so the mark may be copied down.
            self.parents.set(current as usize, grandparent);
            current = parent;
            parent = grandparent;
        }
    }

    /// Puts the set that `root` represents under the one that `above` represents, which represents both
    /// from then on. Both must represent live sets.
    #[inline]
    pub fn unite(&mut self, root: StateId, above: StateId) {
        self.parents.set(root.index(), above.0);
    }

    /// Declares the set that `root` represents finished.
    #[inline]
    pub fn finish(&mut self, root: StateId) {
        self.parents.set(root.index(), FINISHED);
    }

    /// Whether a state is in a set that was finished.
    pub fn is_finished(&self, state: StateId) -> bool {
        let mut current = state.0;
        loop {
            if current as usize >= self.parents.len() {
                return false;
            }
            let parent = self.parents.get(current as usize);
            if parent == current || parent >= FINISHED {
                return parent == FINISHED;
            }
            current = parent;
        }
    }

    /// Whether a state is in any set.
    #[inline]
    pub fn is_seen(&self, state: StateId) -> bool {
        state.index() < self.parents.len() && self.parents.get(state.index()) != UNSEEN
    }

    /// The bytes held, used or not.
    pub fn memory_bytes(&self) -> usize {
        self.parents.memory_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_unite_and_finish_as_wholes() {
        let mut sets = UnionFind::new();
        for number in [0, 1, 2, 3, 7] {
            sets.add(StateId(number)).expect("memory");
        }
        sets.unite(StateId(1), StateId(0));
        sets.unite(StateId(3), StateId(2));
        sets.unite(StateId(2), StateId(0));
        for number in 0..4 {
            assert_eq!(sets.find(StateId(number)), Membership::Live(StateId(0)));
        }
        assert_eq!(sets.find(StateId(7)), Membership::Live(StateId(7)));
        assert_eq!(sets.find(StateId(5)), Membership::Unseen);
        assert_eq!(sets.find(StateId(9_000_000)), Membership::Unseen);
        sets.finish(StateId(0));
        for number in 0..4 {
            assert_eq!(sets.find(StateId(number)), Membership::Finished);
            assert!(sets.is_seen(StateId(number)) && sets.is_finished(StateId(number)));
        }
        assert_eq!(sets.find(StateId(7)), Membership::Live(StateId(7)));
        assert!(!sets.is_finished(StateId(7)) && !sets.is_finished(StateId(9_000_000)));
    }
}
