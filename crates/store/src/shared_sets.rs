//! Disjoint sets of states that several workers unite, with the work that is left in each of them.
//!
//! The structure of UFSCC (Bloemen, Laarman, van de Pol, PPoPP 2016): a forest whose trees are the sets; for each set the
//! workers that have entered it and the acceptance marks on edges inside; and a cyclic list of its states, from which those
//! are taken out that are fully explored. Workers inside the same set share its work by picking from the list, and a set
//! whose list has nothing left is dead.
//!
//! **Words.** Every state is a set of its own until it is united, and all its words are zero until then. A word of the forest
//! is the parent plus one, zero for a root, with a status above: live, locked, dead. A word of the list is the next state
//! plus one, zero for the state itself, with a status above: present, locked, gone.
//!
//! **Uniting** locks the smaller root, so that nobody else hangs it anywhere, and one present state of each list, in the order
//! of the roots, so that nobody waits in a circle; exchanges what comes next in the lists, which makes one cycle of two; and
//! hangs the root below the other. What is said of a set (workers, marks) is said of its root, again and again until that
//! has no parent: so it is not lost when sets are united meanwhile. Uniting reads what is said of the smaller root after it
//! was hung, by an exchange that changes nothing: of two exchanges of a word the later one sees the earlier and all before
//! it, so either uniting sees what was said, or whoever says it sees afterwards that the root was hung. (A load could read a
//! value from before, unless all of it were sequentially consistent.)

use crate::concurrent::SideTable;
use crate::sync::{AtomicU32, AtomicU64, Ordering, yield_now};
use crate::{StateId, StoreFull};

const STATUS: u32 = 3 << 30;
const LIVE: u32 = 0;
const LOCKED: u32 = 1 << 30;
const DEAD: u32 = 2 << 30;
/// In a list: fully explored.
const GONE: u32 = DEAD;

/// The bit of the claims that is the mark of a single acceptance set.
const MARKED: u64 = 1 << 63;

/// What a claim of a state found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Claim {
    /// The state is in a set that is done.
    Dead,
    /// The worker has been in this set before.
    Known,
    /// The worker is new to this set.
    New,
}

/// Sets of states; see the module's description.
pub struct SharedSets {
    parents: SideTable<AtomicU32>,
    lists: SideTable<AtomicU32>,
    claims: SideTable<AtomicU64>,
    /// The marks of each set, where there are several acceptance sets.
    marks: Option<SideTable<AtomicU64>>,
}

impl SharedSets {
    /// More workers than this cannot be told apart.
    pub const MOST_WORKERS: usize = 63;

    /// More states than this cannot be told apart.
    pub const MOST_STATES: u32 = (1 << 30) - 2;

    /// Every state is a set of its own, and has no marks. `acceptance_sets` says how many marks there are.
    pub fn new(acceptance_sets: u32) -> Self {
        SharedSets {
            parents: SideTable::new(),
            lists: SideTable::new(),
            claims: SideTable::new(),
            marks: (acceptance_sets > 1).then(SideTable::new),
        }
    }

    /// The bytes in use.
    pub fn memory_bytes(&self) -> usize {
        self.parents.memory_bytes() * 4 + self.marks.as_ref().map_or(0, |_| self.parents.memory_bytes() * 2)
    }

    /// Makes sure that there is room for a state.
    fn reach(&self, state: StateId) -> Result<(), StoreFull> {
        if state.0 > SharedSets::MOST_STATES {
            return Err(StoreFull::Names);
        }
        self.parents.reach(state.0);
        Ok(())
    }

    fn parent(&self, state: u32) -> Result<&AtomicU32, StoreFull> {
        self.parents.at(state)
    }

    fn list(&self, state: u32) -> Result<&AtomicU32, StoreFull> {
        self.lists.at(state)
    }

    /// The root of a state's set, and its status.
    fn find(&self, state: u32) -> Result<(u32, u32), StoreFull> {
        let mut current = state;
        loop {
            let word = self.parent(current)?;
            let seen = word.load(Ordering::SeqCst);
            let Some(parent) = (seen & !STATUS).checked_sub(1) else { return Ok((current, seen & STATUS)) };
            // A node that has a parent is never a root again: its path may be made shorter by anybody.
            let above = self.parent(parent)?.load(Ordering::SeqCst);
            if let Some(grandparent) = (above & !STATUS).checked_sub(1) {
                let _ = word.compare_exchange(seen, grandparent + 1, Ordering::SeqCst, Ordering::Relaxed);
            }
            current = parent;
        }
    }

    /// Whether two states are in the same set.
    pub fn is_same(&self, one: StateId, other: StateId) -> Result<bool, StoreFull> {
        loop {
            let (one, _) = self.find(one.0)?;
            let (other, _) = self.find(other.0)?;
            if one == other {
                return Ok(true);
            }
            // A root that is still one was the root of all of its set when the other was found.
            if self.parent(one)?.load(Ordering::SeqCst) & !STATUS == 0 {
                return Ok(false);
            }
        }
    }

    /// Says that a state that nobody has claimed is a set that is done.
    pub fn put_dead(&self, state: StateId) -> Result<(), StoreFull> {
        self.reach(state)?;
        self.finish(state)
    }

    /// Whether the set of a state is done.
    pub fn is_dead(&self, state: StateId) -> Result<bool, StoreFull> {
        Ok(self.find(state.0)?.1 == DEAD)
    }

    /// Whether somebody has claimed a state or its set.
    pub fn is_claimed(&self, state: StateId) -> bool {
        let is_united = self.parents.known(state.0).is_some_and(|word| word.load(Ordering::SeqCst) != 0);
        is_united || self.claims.known(state.0).is_some_and(|claims| claims.load(Ordering::SeqCst) != 0)
    }

    /// Says something of the set of a state: of its root, until that has no parent.
    fn say(&self, table: &SideTable<AtomicU64>, state: u32, what: u64) -> Result<(), StoreFull> {
        loop {
            let (root, _) = self.find(state)?;
            let said = table.at(root)?;
            if said.load(Ordering::SeqCst) & what != what {
                said.fetch_or(what, Ordering::SeqCst);
            }
            if self.parent(root)?.load(Ordering::SeqCst) & !STATUS == 0 {
                return Ok(());
            }
        }
    }

    /// A worker enters the set of a state.
    pub fn claim(&self, state: StateId, worker: usize) -> Result<Claim, StoreFull> {
        self.reach(state)?;
        let bit = 1_u64 << worker;
        let (root, status) = self.find(state.0)?;
        if status == DEAD {
            return Ok(Claim::Dead);
        }
        if self.claims.at(root)?.load(Ordering::SeqCst) & bit != 0 {
            return Ok(Claim::Known);
        }
        self.say(&self.claims, state.0, bit)?;
        Ok(Claim::New)
    }

    /// Claims a state by itself, for whoever is first; says whether this is the first. Not to be mixed with claims of sets.
    pub fn claim_state(&self, state: StateId) -> Result<bool, StoreFull> {
        self.reach(state)?;
        Ok(self.claims.at(state.0)?.fetch_or(1, Ordering::SeqCst) & 1 == 0)
    }

    /// Adds marks to the set of a state; gives all that it has. Where somebody unites it meanwhile, those that are handed over
    /// may be missing, even the ones added here: whoever unites must ask again afterwards, and then sees them all.
    pub fn add_marks(&self, state: StateId, marks: u64) -> Result<u64, StoreFull> {
        match &self.marks {
            Some(table) => {
                self.say(table, state.0, marks)?;
                let (root, _) = self.find(state.0)?;
                Ok(table.at(root)?.load(Ordering::SeqCst))
            }
            None => {
                if marks != 0 {
                    self.say(&self.claims, state.0, MARKED)?;
                }
                let (root, _) = self.find(state.0)?;
                Ok(u64::from(self.claims.at(root)?.load(Ordering::SeqCst) & MARKED != 0))
            }
        }
    }

    /// A state of the same set that is not fully explored; none where there is none, and then the set is dead.
    pub fn pick(&self, state: StateId) -> Result<Option<StateId>, StoreFull> {
        let picked = self.present(state.0)?;
        if picked.is_none() {
            self.finish(state)?;
        }
        Ok(picked.map(StateId))
    }

    /// A state of a list that is not gone.
    fn present(&self, state: u32) -> Result<Option<u32>, StoreFull> {
        let mut current = state;
        loop {
            let word = self.list(current)?;
            let seen = word.load(Ordering::SeqCst);
            match seen & STATUS {
                LIVE => return Ok(Some(current)),
                LOCKED => {
                    yield_now();
                    continue;
                }
                _ => {}
            }
            let next = (seen & !STATUS).checked_sub(1).unwrap_or(current);
            if next == current {
                return Ok(None);
            }
            let after = self.list(next)?.load(Ordering::SeqCst);
            match after & STATUS {
                LIVE => return Ok(Some(next)),
                LOCKED => yield_now(),
                _ => {
                    // Two in a row are gone: nobody needs to come by the second again.
                    let beyond = (after & !STATUS).checked_sub(1).unwrap_or(next);
                    let _ =
                        word.compare_exchange(seen, GONE | (beyond + 1), Ordering::SeqCst, Ordering::Relaxed);
                    current = beyond;
                }
            }
        }
    }

    /// Declares the set of a state dead.
    pub fn finish(&self, state: StateId) -> Result<(), StoreFull> {
        loop {
            let (root, status) = self.find(state.0)?;
            if status == DEAD {
                return Ok(());
            }
            let word = self.parent(root)?;
            if word.compare_exchange(LIVE, DEAD, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                return Ok(());
            }
            yield_now();
        }
    }

    /// A state is fully explored; says whether nobody has said so before.
    pub fn remove(&self, state: StateId) -> Result<bool, StoreFull> {
        let word = self.list(state.0)?;
        loop {
            let seen = word.load(Ordering::SeqCst);
            match seen & STATUS {
                LIVE => {
                    let gone = GONE | if seen == 0 { state.0 + 1 } else { seen };
                    if word.compare_exchange(seen, gone, Ordering::SeqCst, Ordering::Relaxed).is_ok() {
                        return Ok(true);
                    }
                }
                LOCKED => yield_now(),
                _ => return Ok(false),
            }
        }
    }

    /// Whether a state is still to be explored.
    pub fn is_present(&self, state: StateId) -> Result<bool, StoreFull> {
        Ok(self.list(state.0)?.load(Ordering::SeqCst) & STATUS != GONE)
    }

    /// Locks a present state of a list; gives it with what comes next. None: there is none.
    fn lock_list(&self, state: u32) -> Result<Option<(u32, u32)>, StoreFull> {
        while let Some(picked) = self.present(state)? {
            let word = self.list(picked)?;
            let seen = word.load(Ordering::SeqCst);
            if seen & STATUS == LIVE
                && word.compare_exchange(seen, seen | LOCKED, Ordering::SeqCst, Ordering::Relaxed).is_ok()
            {
                return Ok(Some((picked, seen.checked_sub(1).unwrap_or(picked))));
            }
            yield_now();
        }
        Ok(None)
    }

    /// Unites the sets of two states, of which neither is dead unless they are one already.
    pub fn unite(&self, one: StateId, other: StateId) -> Result<(), StoreFull> {
        loop {
            let (first, _) = self.find(one.0)?;
            let (second, _) = self.find(other.0)?;
            if first == second {
                return Ok(());
            }
            let ((low, low_state), (high, high_state)) = if first < second {
                ((first, one.0), (second, other.0))
            } else {
                ((second, other.0), (first, one.0))
            };
            let word = self.parent(low)?;
            if word.compare_exchange(LIVE, LOCKED, Ordering::SeqCst, Ordering::Relaxed).is_err() {
                yield_now();
                continue;
            }
            let Some((low_picked, low_next)) = self.lock_list(low_state)? else {
                // Others have explored and united everything meanwhile.
                word.store(LIVE, Ordering::SeqCst);
                yield_now();
                continue;
            };
            let Some((high_picked, high_next)) = self.lock_list(high_state)? else {
                self.list(low_picked)?.store(low_next + 1, Ordering::SeqCst);
                word.store(LIVE, Ordering::SeqCst);
                yield_now();
                continue;
            };
            // Hung below the other root, and no longer locked.
            word.store(high + 1, Ordering::SeqCst);
            let claims = self.claims.at(low)?.fetch_or(0, Ordering::SeqCst);
            self.say(&self.claims, high, claims)?;
            if let Some(table) = &self.marks {
                let marks = table.at(low)?.fetch_or(0, Ordering::SeqCst);
                self.say(table, high, marks)?;
            }
            self.list(low_picked)?.store(high_next + 1, Ordering::SeqCst);
            self.list(high_picked)?.store(low_next + 1, Ordering::SeqCst);
            return Ok(());
        }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn sets_have_workers_marks_and_work() {
        let sets = SharedSets::new(2);
        let [a, b, c, d] = [0, 1, 2, 9_000].map(StateId);
        for state in [a, b, c] {
            assert_eq!(sets.claim(state, 0).expect("memory"), Claim::New);
        }
        assert_eq!(sets.add_marks(a, 1).expect("memory"), 1);
        sets.unite(a, b).expect("memory");
        sets.unite(b, c).expect("memory");
        assert!(sets.is_same(a, c).expect("memory"));
        assert!(!sets.is_same(a, d).expect("memory"));
        assert_eq!(sets.claim(c, 0).expect("memory"), Claim::Known);
        assert_eq!(sets.claim(c, 5).expect("memory"), Claim::New);
        assert_eq!(sets.claim(a, 5).expect("memory"), Claim::Known);
        assert_eq!(sets.add_marks(c, 2).expect("memory"), 3);
        let mut explored = Vec::new();
        while let Some(state) = sets.pick(a).expect("memory") {
            sets.remove(state).expect("memory");
            explored.push(state.0);
        }
        explored.sort_unstable();
        assert_eq!(explored, [0, 1, 2]);
        assert_eq!(sets.claim(b, 7).expect("memory"), Claim::Dead);
        assert_eq!(sets.claim(d, 7).expect("memory"), Claim::New);
    }

    #[test]
    fn workers_unite_everything_and_lose_nothing() {
        for round in 0..200_u32 {
            let count = 2 + round % 40;
            let sets = SharedSets::new(1);
            std::thread::scope(|scope| {
                for worker in 0..4_usize {
                    let sets = &sets;
                    scope.spawn(move || {
                        for number in 0..count {
                            sets.claim(StateId(number), worker).expect("memory");
                        }
                        for number in 0..count - 1 {
                            let number = (number * (worker as u32 * 2 + 1) + round) % (count - 1);
                            sets.unite(StateId(number), StateId(number + 1)).expect("memory");
                        }
                        for number in 0..count - 1 {
                            sets.unite(StateId(number), StateId(number + 1)).expect("memory");
                        }
                        if worker == 3 {
                            sets.add_marks(StateId(round % count), 1).expect("memory");
                        }
                    });
                }
            });
            for worker in 0..4 {
                for number in 0..count {
                    assert_eq!(sets.claim(StateId(number), worker).expect("memory"), Claim::Known);
                }
            }
            assert_eq!(sets.add_marks(StateId(0), 0).expect("memory"), 1);
            let mut explored = Vec::new();
            while let Some(state) = sets.pick(StateId(0)).expect("memory") {
                sets.remove(state).expect("memory");
                explored.push(state.0);
            }
            explored.sort_unstable();
            assert_eq!(explored, (0..count).collect::<Vec<_>>());
        }
    }
}
