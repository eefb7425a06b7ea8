//! Threads that take turns: of all that take part in a run one goes at a time, and before each step on what they share it is
//! decided who goes next, by a generator of random numbers. So a run is a function of the generator's seed, and one that
//! shows a fault can be had again.
//!
//! Steps happen one after the other as if all were sequentially consistent; what weaker orderings allow is `loom`'s to find.
//!
//! **Who goes next** is decided in one of two ways, by the seed. *At random*: before each step, with some chance, somebody
//! else. *By rank* (the PCT scheduler of Burckhardt, Kothari, Musuvathi, Nagarakatte, ASPLOS 2010): whoever has the highest
//! rank goes on until it waits or, now and then, loses its rank; so one thread stands still at a bad moment while others do
//! much, which is what the first way hardly ever gives. Both have rates that are drawn from the seed too.

use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// Steps, and turns that were passed on by threads that wait, after which a run is taken for one without an end.
const MOST_STEPS: u64 = 2_000_000;
const MOST_WAITS: u64 = 60_000;

/// Runs under control at this moment, whichever threads are in them.
static RUNS: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// The run that this thread takes part in, and its number there.
    static MEMBER: RefCell<Option<Member>> = const { RefCell::new(None) };
    /// Whether this thread has complained that there is no end.
    static HAS_COMPLAINED: Cell<bool> = const { Cell::new(false) };
}

struct Thread {
    is_here: bool,
    rank: i64,
    turn: Arc<Condvar>,
}

struct State {
    threads: Vec<Thread>,
    current: usize,
    random: u64,
    steps: u64,
    waits: u64,
    /// By rank, or at random.
    is_ranked: bool,
    /// The chance of a change before a step is one in so many.
    rate: u64,
    /// Below all ranks that are in use.
    lowest: i64,
    /// What was decided, as one number.
    digest: u64,
}

struct Stage {
    state: Mutex<State>,
}

/// A thread's part in a run.
#[derive(Clone)]
pub(crate) struct Member {
    stage: Arc<Stage>,
    number: usize,
}

/// Leaves the run when the thread's work ends, in whichever way.
pub(crate) struct Turns(Member);

impl State {
    /// A small generator of pseudo-random numbers (splitmix64).
    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut value = self.random;
        value = (value ^ (value >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        value = (value ^ (value >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (value ^ (value >> 31)) % bound
    }

    fn add(&mut self) -> usize {
        let rank = self.below(1 << 30) as i64;
        self.threads.push(Thread { is_here: true, rank, turn: Arc::default() });
        self.threads.len() - 1
    }

    /// Who goes next. Somebody who waits goes last.
    fn choose(&mut self, waits: bool) -> usize {
        let current = self.current;
        if self.is_ranked {
            if waits || self.below(self.rate) == 0 {
                self.lowest -= 1;
                self.threads[current].rank = self.lowest;
            }
            let here = self.threads.iter().enumerate().filter(|(_, thread)| thread.is_here);
            return here.max_by_key(|(_, thread)| thread.rank).map_or(current, |(number, _)| number);
        }
        if !waits && self.below(self.rate) != 0 {
            return current;
        }
        let others: Vec<usize> = (0..self.threads.len())
            .filter(|&number| number != current && self.threads[number].is_here)
            .collect();
        match others.len() as u64 {
            0 => current,
            count => others[self.below(count) as usize],
        }
    }

    fn give_turn(&mut self, next: usize) {
        self.digest = (self.digest ^ next as u64).wrapping_mul(0x0100_0000_01B3).rotate_left(5);
        self.current = next;
        self.threads[next].turn.notify_one();
    }
}

impl Stage {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Member {
    /// Waits for the first turn of a new thread.
    pub(crate) fn take_part(self) -> Turns {
        let state = self.stage.lock();
        self.await_turn(state);
        MEMBER.set(Some(self.clone()));
        Turns(self)
    }

    pub(crate) fn has_left(&self) -> bool {
        !self.stage.lock().threads[self.number].is_here
    }

    /// Lets others go on until this one has left.
    pub(crate) fn await_end(&self) {
        while !self.has_left() {
            let_others();
            // A thread that never ends says so itself.
            let waits = &mut self.stage.lock().waits;
            *waits = waits.saturating_sub(1);
        }
    }

    fn await_turn(&self, mut state: MutexGuard<'_, State>) {
        let turn = Arc::clone(&state.threads[self.number].turn);
        while state.current != self.number {
            state = turn.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn ask(&self, waits: bool) {
        let mut state = self.stage.lock();
        state.steps += 1;
        state.waits += u64::from(waits);
        let is_endless = state.steps > MOST_STEPS || state.waits > MOST_WAITS;
        if is_endless && !HAS_COMPLAINED.get() && !std::thread::panicking() {
            HAS_COMPLAINED.set(true);
            let (steps, waits) = (state.steps, state.waits);
            drop(state);
            panic!("no end after {steps} steps and {waits} waits: workers wait for what nobody does");
        }
        let next = state.choose(waits);
        if next != self.number {
            state.give_turn(next);
            self.await_turn(state);
        }
    }
}

impl Drop for Turns {
    fn drop(&mut self) {
        MEMBER.set(None);
        let mut state = self.0.stage.lock();
        let next = state.choose(true);
        state.threads[self.0.number].is_here = false;
        // Who leaves waits for nobody: somebody else is here, at least the thread that began the run.
        let next = if next == self.0.number {
            state.threads.iter().position(|thread| thread.is_here).unwrap_or(next)
        } else {
            next
        };
        state.give_turn(next);
    }
}

#[inline(always)]
pub(crate) fn step() {
    if RUNS.load(Ordering::Relaxed) != 0 {
        ask(false);
    }
}

/// Whether this thread takes part in a run.
#[inline(always)]
pub(crate) fn is_member() -> bool {
    RUNS.load(Ordering::Relaxed) != 0 && MEMBER.with_borrow(Option::is_some)
}

/// This thread cannot go on before another has.
pub(crate) fn let_others() {
    ask(true);
}

/// Goes on when all other threads have left.
pub(crate) fn let_others_end() {
    let Some(member) = MEMBER.with_borrow(Clone::clone) else { return };
    // Those who never end say so themselves.
    let before = HAS_COMPLAINED.replace(true);
    let is_other = |(number, thread): (usize, &Thread)| thread.is_here && number != member.number;
    while member.stage.lock().threads.iter().enumerate().any(is_other) {
        member.ask(true);
    }
    HAS_COMPLAINED.set(before);
}

#[cold]
fn ask(waits: bool) {
    let member = MEMBER.with_borrow(Clone::clone);
    if let Some(member) = member {
        member.ask(waits);
    }
}

/// A new thread of the run that this one takes part in.
pub(crate) fn new_member() -> Option<Member> {
    let own = MEMBER.with_borrow(Clone::clone)?;
    let number = own.stage.lock().add();
    Some(Member { stage: own.stage, number })
}

/// Does some work, with all threads that it begins through [`crate::sync::spawn`], in turns that a seed decides. Gives what the
/// work gave, and a number that stands for what was decided: equal for equal seeds, where the work is the same.
pub fn in_turns<R>(seed: u64, work: impl FnOnce() -> R) -> (R, u64) {
    let mut state = State {
        threads: Vec::new(),
        current: 0,
        random: seed.wrapping_mul(0x2545_F491_4F6C_DD1D),
        steps: 0,
        waits: 0,
        is_ranked: false,
        rate: 1,
        lowest: 0,
        digest: 0,
    };
    state.is_ranked = state.below(2) == 0;
    let rates: &[u64] = if state.is_ranked { &[8, 25, 80, 250] } else { &[2, 4, 12, 40] };
    state.rate = rates[state.below(rates.len() as u64) as usize];
    let number = state.add();
    let stage = Arc::new(Stage { state: Mutex::new(state) });
    let turns = Member { stage: Arc::clone(&stage), number }.take_part();
    HAS_COMPLAINED.set(false);
    RUNS.fetch_add(1, Ordering::Relaxed);
    /// Counts the run out, also where the work panics.
    struct Out;
    impl Drop for Out {
        fn drop(&mut self) {
            RUNS.fetch_sub(1, Ordering::Relaxed);
        }
    }
    let out = Out;
    let result = work();
    drop(turns);
    drop(out);
    let digest = stage.lock().digest;
    (result, digest)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::sync::{AtomicU32, Condvar, Mutex, lock, scope, spawn, yield_now};

    /// Two threads add one, in two steps each.
    fn counted(seed: u64) -> (u32, u64) {
        in_turns(seed, || {
            let count = AtomicU32::new(0);
            scope(|scope| {
                let add = || count.store(count.load(Ordering::SeqCst) + 1, Ordering::SeqCst);
                let handles = [spawn(scope, add), spawn(scope, add)];
                for handle in handles {
                    handle.join().expect("no panic");
                }
            });
            count.load(Ordering::SeqCst)
        })
    }

    #[test]
    fn a_seed_decides_everything_and_seeds_differ() {
        let results: Vec<(u32, u64)> = (0..100).map(counted).collect();
        assert!(results.iter().any(|result| result.0 == 1) && results.iter().any(|result| result.0 == 2));
        assert!(results.iter().map(|result| result.1).collect::<BTreeSet<_>>().len() > 20);
        for (seed, result) in (0..100).zip(results) {
            assert_eq!(counted(seed), result);
        }
    }

    #[test]
    fn locks_and_conditions_work_in_turns() {
        for seed in 0..200 {
            let (sum, _) = in_turns(seed, || {
                let (inner, changed) = (Mutex::new((0, 0)), Condvar::new());
                scope(|scope| {
                    let work = || {
                        let mut guard = lock(&inner);
                        let seen = guard.0;
                        yield_now();
                        guard.0 = seen + 1;
                        changed.notify_all();
                        while guard.0 < 3 {
                            guard = changed.wait(guard).expect("no panic");
                        }
                        guard.1 += guard.0;
                    };
                    let handles = [spawn(scope, work), spawn(scope, work), spawn(scope, work)];
                    for handle in handles {
                        handle.join().expect("no panic");
                    }
                });
                lock(&inner).1
            });
            assert_eq!(sum, 9, "seed {seed}");
        }
    }

    #[test]
    fn a_panic_leaves_nobody_waiting() {
        for seed in 0..20 {
            let work = || {
                scope(|scope| {
                    let handles = [0, 1, 2].map(|number| spawn(scope, move || assert_ne!(number, seed % 3)));
                    for handle in handles {
                        handle.join().expect("this one panics");
                    }
                });
            };
            assert!(std::panic::catch_unwind(|| in_turns(seed, work)).is_err());
        }
    }

    #[test]
    fn who_waits_for_nothing_is_told_so() {
        let waiting = std::panic::catch_unwind(|| {
            in_turns(1, || {
                let never = AtomicU32::new(0);
                while never.load(Ordering::SeqCst) == 0 {
                    yield_now();
                }
            })
        });
        assert!(waiting.is_err());
    }
}
