//! Every order of steps of a few workers, tried by `loom`:
//! `RUSTFLAGS="--cfg loom" cargo test --profile quick --target-dir target/loom -p probity-store --lib loom`, about a minute.
//!
//! Lines have two slots here, there is one segment, and blocks are two numbers, so that two or three insertions already
//! meet every case: the same node twice, a line that fills up, lines that move while somebody inserts.

use loom::sync::Arc;
use loom::thread;

use crate::budget::Budget;
use crate::nodes::{NodeTable, NodeWriter, Surroundings};
use crate::safe_points::SafePoints;
use crate::shared_sets::{Claim, SharedSets};
use crate::{Owner, SharedColours, SharedCounts, SharedOwners, StateId};

struct Store {
    table: NodeTable<u64>,
    budget: Budget,
    safe_points: SafePoints<crate::concurrent::Retired>,
}

impl Store {
    fn new() -> Arc<Store> {
        Arc::new(Store { table: NodeTable::new(100), budget: Budget::new(), safe_points: SafePoints::new() })
    }

    fn intern(&self, writer: &mut NodeWriter<u64>, node: u64) -> (u32, bool) {
        let around = Surroundings { budget: &self.budget, safe_points: &self.safe_points, alone: false };
        let hash = crate::hash::Key::hash(node);
        self.table.intern(writer, node, hash, around).expect("memory")
    }
}

/// Has two workers intern some nodes each; all must agree afterwards, and each node be new once.
fn intern_at_once(before: &'static [u64], first: &'static [u64], second: &'static [u64]) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(move || {
        let store = Store::new();
        let mut main = NodeWriter::new(0..0);
        for &node in before {
            assert!(store.intern(&mut main, node).1);
        }
        let work = |nodes: &'static [u64]| {
            let store = Arc::clone(&store);
            thread::spawn(move || {
                let seat = store.safe_points.enter().expect("a place");
                let mut writer = NodeWriter::new(0..0);
                let told: Vec<_> =
                    nodes.iter().map(|&node| (node, store.intern(&mut writer, node))).collect();
                store.safe_points.leave(seat);
                told
            })
        };
        let handles = [work(first), work(second)];
        let mut told: Vec<(u64, (u32, bool))> = Vec::new();
        for handle in handles {
            told.extend(handle.join().expect("no panic"));
        }
        let mut numbers = std::collections::HashMap::new();
        for &(node, (number, _)) in &told {
            assert_eq!(store.table.get(number), node);
            assert_eq!(*numbers.entry(node).or_insert(number), number, "two numbers for {node}");
            let new = told.iter().filter(|(other, (_, is_new))| *other == node && *is_new).count();
            assert_eq!(new, usize::from(!before.contains(&node)), "{node} is new once");
            assert_eq!(store.intern(&mut main, node), (number, false));
        }
        drop(store.safe_points.freed());
    });
}

#[test]
fn loom_the_same_node_is_interned_once() {
    intern_at_once(&[], &[5], &[5]);
}

#[test]
fn loom_nodes_that_share_a_line_do_not_replace_each_other() {
    intern_at_once(&[3], &[5], &[7]);
    intern_at_once(&[], &[5, 7], &[7]);
}

#[test]
fn loom_insertion_while_lines_move() {
    // Two fill the first line; what comes next makes it move.
    intern_at_once(&[3, 4], &[5], &[6]);
    intern_at_once(&[3, 4], &[5], &[5]);
    intern_at_once(&[3, 4], &[5], &[3]);
    intern_at_once(&[3], &[4, 5], &[5]);
    // What was there before is there as soon as new lines are.
    intern_at_once(&[3, 4], &[5], &[6, 3]);
}

#[test]
fn loom_a_block_becomes_wider_while_others_read_it() {
    // The second node of a block does not fit where the first one lies.
    intern_at_once(&[1], &[u64::MAX], &[1]);
}

#[test]
fn loom_of_two_one_sets_a_mark_and_sees_what_was_before() {
    loom::model(|| {
        let colours = Arc::new(SharedColours::new());
        let work = |own: u8| {
            let colours = Arc::clone(&colours);
            thread::spawn(move || {
                colours.set(StateId(0), own).expect("memory");
                colours.set(StateId(1), 1).expect("memory") & 1 == 0
            })
        };
        let handles = [work(2), work(4)];
        let first = handles.map(|handle| handle.join().expect("no panic"));
        assert_eq!(first.iter().filter(|first| **first).count(), 1);
        assert_eq!(colours.get(StateId(0)), 6);
    });
}

#[test]
fn loom_of_two_searches_one_takes_a_state_and_who_sees_it_done_sees_all_before() {
    loom::model(|| {
        let owners = Arc::new(SharedOwners::new());
        let colours = Arc::new(SharedColours::new());
        let work = |search: u32| {
            let (owners, colours) = (Arc::clone(&owners), Arc::clone(&colours));
            thread::spawn(move || match owners.take(StateId(0), search).expect("memory") {
                Owner::Nobody => {
                    colours.set(StateId(1), 1).expect("memory");
                    owners.finish(StateId(0)).expect("memory");
                    true
                }
                Owner::Done => {
                    assert_eq!(colours.get(StateId(1)), 1, "done before it was");
                    false
                }
                Owner::Search(other) => {
                    assert_ne!(other, search);
                    false
                }
            })
        };
        let handles = [work(3), work(4)];
        let taken = handles.map(|handle| handle.join().expect("no panic"));
        assert_eq!(taken.iter().filter(|taken| **taken).count(), 1);
    });
}

/// Behind one accepting state: who sees that nobody searches there any more sees all that was found there.
#[test]
fn loom_nobody_searches_behind_a_state_unseen() {
    loom::model(|| {
        let counts = Arc::new(SharedCounts::new());
        let colours = Arc::new(SharedColours::new());
        counts.add(StateId(0)).expect("memory");
        let other = {
            let (counts, colours) = (Arc::clone(&counts), Arc::clone(&colours));
            thread::spawn(move || {
                colours.set(StateId(1), 1).expect("memory");
                counts.subtract(StateId(0)).expect("memory");
            })
        };
        counts.add(StateId(0)).expect("memory");
        counts.subtract(StateId(0)).expect("memory");
        if counts.get(StateId(0)) == 0 {
            assert_eq!(colours.get(StateId(1)), 1, "counted out before it was done");
        }
        other.join().expect("no panic");
        assert_eq!(counts.get(StateId(0)), 0);
    });
}

#[test]
fn loom_sets_are_united_without_losing_work_or_workers() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let sets = Arc::new(SharedSets::new(1));
        for number in 0..3 {
            sets.claim(StateId(number), 0).expect("memory");
        }
        let other = {
            let sets = Arc::clone(&sets);
            thread::spawn(move || {
                sets.claim(StateId(0), 1).expect("memory");
                sets.add_marks(StateId(0), 1).expect("memory");
                sets.unite(StateId(1), StateId(2)).expect("memory");
            })
        };
        sets.unite(StateId(0), StateId(1)).expect("memory");
        other.join().expect("no panic");
        for worker in 0..2 {
            assert_eq!(sets.claim(StateId(2), worker).expect("memory"), Claim::Known);
        }
        assert_eq!(sets.add_marks(StateId(2), 0).expect("memory"), 1);
        let mut explored = Vec::new();
        while let Some(state) = sets.pick(StateId(1)).expect("memory") {
            assert!(sets.remove(state).expect("memory"));
            explored.push(state.0);
        }
        explored.sort_unstable();
        assert_eq!(explored, [0, 1, 2]);
    });
}

#[test]
fn loom_work_is_done_once_and_then_the_set_is_dead() {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(2);
    builder.check(|| {
        let sets = Arc::new(SharedSets::new(0));
        for worker in 0..2 {
            sets.claim(StateId(0), worker).expect("memory");
        }
        sets.unite(StateId(0), StateId(1)).expect("memory");
        let explore = |sets: &SharedSets| {
            let mut done = 0;
            while let Some(state) = sets.pick(StateId(0)).expect("memory") {
                done += usize::from(sets.remove(state).expect("memory"));
            }
            done
        };
        let other = {
            let sets = Arc::clone(&sets);
            thread::spawn(move || explore(&sets))
        };
        let done = explore(&sets) + other.join().expect("no panic");
        assert_eq!(done, 2);
        assert!(sets.is_dead(StateId(1)).expect("memory"));
    });
}

#[test]
fn loom_nothing_is_freed_that_somebody_may_hold() {
    use crate::sync::{AtomicU64, Ordering};
    loom::model(|| {
        let safe_points = Arc::new(SafePoints::<u64>::new());
        let current = Arc::new(AtomicU64::new(1));
        let freed = Arc::new(AtomicU64::new(0));
        let seat = safe_points.enter().expect("a place");
        let reader = {
            let (safe_points, current, freed) =
                (Arc::clone(&safe_points), Arc::clone(&current), Arc::clone(&freed));
            thread::spawn(move || {
                for _ in 0..2 {
                    let held = current.load(Ordering::Acquire);
                    // Reading what is held must come before it is freed.
                    assert_ne!(freed.load(Ordering::Relaxed), held, "held and freed");
                    safe_points.pass(seat, 0..0);
                }
                safe_points.leave(seat);
            })
        };
        let own = safe_points.enter().expect("a place");
        current.swap(2, Ordering::AcqRel);
        safe_points.retire(1);
        for _ in 0..2 {
            safe_points.pass(own, 0..0);
            for what in safe_points.freed() {
                freed.store(what, Ordering::Release);
            }
        }
        safe_points.leave(own);
        reader.join().expect("no panic");
    });
}
