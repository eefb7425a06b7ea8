//! What workers share, in turns that a seed decides: every value in its place, everything said once, nothing lost.
//!
//! `loom` tries every order of the steps of two workers that do very little. Here three of them do more, in some of the
//! orders that there are; a run is a function of its seed.
#![cfg(all(debug_assertions, not(loom)))]

use std::collections::HashMap;

use store::schedule::in_turns;
use store::sync::{scope, spawn};
use store::{
    Claim, Expanded, Owner, SharedColours, SharedCounts, SharedOwners, SharedSets, StateId, TreeStore,
};

/// A small generator of pseudo-random numbers (splitmix64).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.0;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((value ^ (value >> 31)) % u64::from(bound)) as u32
    }
}

/// Has so many workers do something in turns, and gives what each has found.
fn workers<T: Send>(seed: u64, count: usize, work: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let (results, _) = in_turns(seed, || {
        scope(|scope| {
            let work = &work;
            let handles: Vec<_> = (0..count).map(|number| spawn(scope, move || work(number))).collect();
            handles.into_iter().map(|handle| handle.join().expect("no panic")).collect()
        })
    });
    results
}

#[test]
fn what_is_said_of_sets_is_not_lost_when_they_are_united() {
    for seed in 0..1_500_u64 {
        let mut random = Random(seed);
        let count = 2 + random.below(5);
        let crew = 2 + random.below(2) as usize;
        for acceptance_sets in [1, 64] {
            let sets = SharedSets::new(acceptance_sets);
            let mark =
                |worker: usize| if acceptance_sets == 1 { u64::from(worker == 0) } else { 1 << worker };
            workers(seed, crew, |worker| {
                let mut random = Random(seed * 8 + worker as u64);
                let mine = StateId(random.below(count));
                assert_eq!(sets.claim(mine, worker).expect("memory"), Claim::New);
                for _ in 0..random.below(count) {
                    let first = random.below(count - 1);
                    sets.unite(StateId(first), StateId(first + 1)).expect("memory");
                }
                sets.add_marks(mine, mark(worker)).expect("memory");
                let first = random.below(count - 1);
                sets.unite(StateId(first), StateId(first + 1)).expect("memory");
                assert!(sets.is_same(StateId(first), StateId(first + 1)).expect("memory"));
            });
            for first in 0..count - 1 {
                sets.unite(StateId(first), StateId(first + 1)).expect("memory");
            }
            let all = (0..crew).map(mark).sum::<u64>();
            assert_eq!(sets.add_marks(StateId(0), 0).expect("memory"), all, "turns {seed}");
            for worker in 0..crew {
                assert_eq!(sets.claim(StateId(0), worker).expect("memory"), Claim::Known, "turns {seed}");
            }
            let mut explored = Vec::new();
            while let Some(state) = sets.pick(StateId(0)).expect("memory") {
                assert!(sets.remove(state).expect("memory"));
                explored.push(state.0);
            }
            explored.sort_unstable();
            assert_eq!(explored, (0..count).collect::<Vec<_>>(), "turns {seed}");
        }
    }
}

/// Workers explore a ring as UFSCC does: each state leads to the next one, with a mark of its own.
#[test]
fn a_ring_is_explored_once_and_somebody_sees_all_marks() {
    for seed in 0..1_500_u64 {
        let mut random = Random(seed);
        let count = 1 + random.below(6);
        let crew = 2 + random.below(2) as usize;
        let begin: Vec<u32> = (0..crew).map(|_| random.below(count)).collect();
        let sets = SharedSets::new(64);
        let all = u64::MAX >> (64 - count);
        let found = workers(seed, crew, |worker| {
            let begin = StateId(begin[worker]);
            sets.claim(begin, worker).expect("memory");
            let (mut removed, mut seen) = (Vec::new(), 0);
            while let Some(state) = sets.pick(begin).expect("memory") {
                let next = StateId((state.0 + 1) % count);
                sets.unite(state, next).expect("memory");
                seen |= sets.add_marks(state, 1 << state.0).expect("memory");
                if sets.remove(state).expect("memory") {
                    removed.push(state.0);
                }
            }
            assert!(sets.is_dead(begin).expect("memory"));
            (removed, seen)
        });
        let mut removed: Vec<u32> = found.iter().flat_map(|(removed, _)| removed.iter().copied()).collect();
        removed.sort_unstable();
        assert_eq!(removed, (0..count).collect::<Vec<_>>(), "turns {seed}");
        assert!(found.iter().any(|(_, seen)| *seen == all), "turns {seed}: nobody sees all marks");
        for state in 0..count {
            assert!(sets.is_dead(StateId(state)).expect("memory"), "turns {seed}");
        }
    }
}

#[test]
fn marks_owners_and_counts_change_in_one_step() {
    for seed in 0..500 {
        let (colours, owners, counts) = (SharedColours::new(), SharedOwners::new(), SharedCounts::new());
        // Nobody has asked for these yet: the table grows meanwhile.
        let states = [StateId(0), StateId(20_000)];
        let told = workers(seed, 3, |worker| {
            states.map(|state| {
                counts.add(state).expect("memory");
                let is_first = colours.set(state, 1).expect("memory") & 1 == 0;
                colours.set(state, 2 << worker).expect("memory");
                let has_taken = owners.take(state, worker as u32).expect("memory") == Owner::Nobody;
                assert_ne!(counts.get(state), 0);
                counts.subtract(state).expect("memory");
                (is_first, has_taken)
            })
        });
        for (position, state) in states.into_iter().enumerate() {
            assert_eq!(told.iter().filter(|told| told[position].0).count(), 1, "turns {seed}");
            assert_eq!(told.iter().filter(|told| told[position].1).count(), 1, "turns {seed}");
            assert_eq!((colours.get(state), counts.get(state)), (15, 0), "turns {seed}");
            let owner = told.iter().position(|told| told[position].1).expect("one has taken it");
            assert_eq!(owners.get(state), Owner::Search(owner as u32));
        }
    }
}

/// Inserts vectors that workers have in common, and checks what each was told.
fn insert_in_turns(seed: u64, crew: usize, count: u32) {
    let mut store = TreeStore::new(8);
    let views: Vec<_> = (0..crew).map(|_| std::sync::Mutex::new(store.another().ok())).collect();
    let vector = |number: u32| [number % 7, 0, number / 7 % 5, 0, 1, number / 35, 0, number % 3];
    let told = workers(seed, crew, |worker| {
        let mut view = views[worker].lock().expect("no panic").take().expect("room for workers");
        let mut random = Random(seed * 8 + worker as u64);
        let (mut told, mut batch, mut base) = (Vec::new(), Vec::new(), Expanded::new());
        for _ in 0..count {
            let number = random.below(count);
            batch.clear();
            view.insert_batch(&base, &vector(number), &mut batch).expect("memory");
            view.load(batch[0].state, &mut base);
            assert_eq!(base.words(), vector(number), "turns {seed}");
            told.push((number, batch[0]));
            view.pass_safe_point();
        }
        told
    });
    let mut names: HashMap<u32, (StateId, usize)> = HashMap::new();
    for (number, inserted) in told.into_iter().flatten() {
        let name = names.entry(number).or_insert((inserted.state, 0));
        assert_eq!(name.0, inserted.state, "turns {seed}: one name for a vector");
        name.1 += usize::from(inserted.is_new);
    }
    assert!(names.values().all(|(_, new)| *new == 1), "turns {seed}: new once");
    assert_eq!(store.len(), names.len(), "turns {seed}");
}

#[test]
fn a_vector_is_inserted_once() {
    for seed in 0..150 {
        insert_in_turns(seed, 3, 8);
    }
}

#[test]
fn a_vector_is_inserted_once_while_the_store_grows() {
    for seed in 0..3 {
        insert_in_turns(seed, 2, 2_500);
    }
}
