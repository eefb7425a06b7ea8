//! Moments at which a worker holds nothing of the store.
//!
//! Every worker has a place here, where it says now and then that it has come past a safe point: between two operations on
//! the store it holds no address of old lines. Two things rest on this:
//! - what was taken out of use is freed when every worker has come past a safe point since, without anybody waiting;
//! - one worker can stop all others at such points, for what nobody may watch: wider vectors.
//!
//! A worker that waits for others, whatever for, must go on passing safe points ([`SafePoints::pass`]) while it does.
//!
//! **Order of memory.** Passing is a store followed by a fence; retiring is the exchange that takes lines out of use, a fence,
//! and a look at what every worker has said. If a worker read the old lines after its fence, that fence came first, so the
//! look has seen what was stored before it, and only a later pass can differ from it.

use std::ops::Range;

use crate::StoreFull;
use crate::sync::{AtomicBool, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, fence, lock};

/// How many workers there can be at once: those of a search, and a few that are about to leave.
pub(crate) const PLACES: usize = if cfg!(loom) { 3 } else { 80 };

/// A worker's place. Each has a cache line of its own.
#[derive(Debug)]
#[repr(align(64))]
struct Place {
    /// Twice how often the worker came past a safe point, and one more while there is a worker.
    passed: AtomicU64,
    /// How many states it has stored.
    stored: AtomicUsize,
    /// The numbers it holds and has not used, begin and end, as of its last safe point.
    unused: AtomicU64,
}

/// Something out of use, and what every worker had said when it was.
struct Waiting<T> {
    since: Vec<u64>,
    what: T,
}

#[derive(Default)]
struct Crew {
    /// Workers that have places.
    present: usize,
    /// Those that wait at a safe point until they may go on.
    parked: usize,
    is_stopped: bool,
}

pub(crate) struct SafePoints<T> {
    places: Box<[Place]>,
    /// Places that were ever taken are below this.
    used: AtomicUsize,
    waiting: Mutex<Vec<Waiting<T>>>,
    /// How many wait to be freed, for a look without the lock.
    waiting_count: AtomicUsize,
    is_stop_asked: AtomicBool,
    crew: Mutex<Crew>,
    changed: Condvar,
    /// States stored by workers that have left.
    stored_before: AtomicUsize,
}

impl<T> std::fmt::Debug for SafePoints<T> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "safe points of {} workers", self.used.load(Ordering::Relaxed))
    }
}

/// The number of a worker's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Seat(usize);

impl<T> SafePoints<T> {
    pub(crate) fn new() -> Self {
        let place =
            |_| Place { passed: AtomicU64::new(0), stored: AtomicUsize::new(0), unused: AtomicU64::new(0) };
        SafePoints {
            places: (0..PLACES).map(place).collect(),
            used: AtomicUsize::new(0),
            waiting: Mutex::new(Vec::new()),
            waiting_count: AtomicUsize::new(0),
            is_stop_asked: AtomicBool::new(false),
            crew: Mutex::new(Crew::default()),
            changed: Condvar::new(),
            stored_before: AtomicUsize::new(0),
        }
    }

    /// The first worker's place: nobody else has one.
    pub(crate) fn first(&self) -> Seat {
        lock(&self.crew).present += 1;
        self.used.store(1, Ordering::Relaxed);
        self.places[0].passed.fetch_add(1, Ordering::Relaxed);
        Seat(0)
    }

    /// Gives a worker a place; none where there are too many. Waits while all are stopped.
    pub(crate) fn enter(&self) -> Result<Seat, StoreFull> {
        let mut crew = self.when_running(lock(&self.crew));
        let free = self.places.iter().position(|place| place.passed.load(Ordering::Relaxed) % 2 == 0);
        let seat = free.ok_or(StoreFull::Workers)?;
        crew.present += 1;
        self.used.fetch_max(seat + 1, Ordering::Relaxed);
        self.places[seat].passed.fetch_add(1, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        Ok(Seat(seat))
    }

    /// The worker leaves.
    pub(crate) fn leave(&self, seat: Seat) {
        let mut crew = lock(&self.crew);
        let place = &self.places[seat.0];
        self.stored_before.fetch_add(place.stored.swap(0, Ordering::Relaxed), Ordering::Relaxed);
        place.unused.store(0, Ordering::Relaxed);
        place.passed.fetch_add(1, Ordering::Release);
        crew.present -= 1;
        self.changed.notify_all();
    }

    /// How many workers have places.
    pub(crate) fn present(&self) -> usize {
        self.places.iter().filter(|place| place.passed.load(Ordering::Relaxed) % 2 == 1).count()
    }

    /// How many states are stored.
    #[inline]
    pub(crate) fn stored(&self) -> usize {
        let used = self.used.load(Ordering::Relaxed);
        let places = &self.places[..used.min(PLACES)];
        let here: usize = places.iter().map(|place| place.stored.load(Ordering::Relaxed)).sum();
        here + self.stored_before.load(Ordering::Relaxed)
    }

    /// Counts states that a worker has stored.
    #[inline]
    pub(crate) fn count(&self, seat: Seat, more: usize) {
        let stored = &self.places[seat.0].stored;
        stored.store(stored.load(Ordering::Relaxed) + more, Ordering::Relaxed);
    }

    /// Says which numbers a worker holds and has not used.
    pub(crate) fn hold(&self, seat: Seat, unused: Range<u32>) {
        let range = u64::from(unused.start) << 32 | u64::from(unused.end);
        self.places[seat.0].unused.store(range, Ordering::Relaxed);
    }

    /// The numbers that others hold and have not used. They must stand at safe points.
    pub(crate) fn unused_by_others(&self, seat: Seat) -> Vec<Range<u32>> {
        let others = self.places.iter().enumerate().filter(|(number, _)| *number != seat.0);
        let unused = others.map(|(_, place)| place.unused.load(Ordering::Relaxed));
        unused.map(|range| (range >> 32) as u32..range as u32).filter(|range| !range.is_empty()).collect()
    }

    /// A safe point of a worker, who holds numbers that it has not used.
    pub(crate) fn pass(&self, seat: Seat, unused: Range<u32>) {
        let place = &self.places[seat.0];
        self.hold(seat, unused);
        place.passed.store(place.passed.load(Ordering::Relaxed) + 2, Ordering::Release);
        fence(Ordering::SeqCst);
        if self.is_stop_asked.load(Ordering::Relaxed) {
            let mut crew = lock(&self.crew);
            crew.parked += 1;
            self.changed.notify_all();
            crew = self.when_running(crew);
            crew.parked -= 1;
        }
    }

    fn when_running<'a>(&self, mut crew: MutexGuard<'a, Crew>) -> MutexGuard<'a, Crew> {
        while crew.is_stopped {
            crew = self.changed.wait(crew).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        crew
    }

    /// Does something while all other workers stand at safe points. The caller must be at one itself. Gives to `work` the
    /// numbers that others hold and have not used.
    pub(crate) fn while_stopped<R>(&self, seat: Seat, work: impl FnOnce(Vec<Range<u32>>) -> R) -> R {
        let mut crew = lock(&self.crew);
        // Somebody else may be first; then this one stands at a safe point as everybody does.
        crew.parked += 1;
        self.changed.notify_all();
        crew = self.when_running(crew);
        crew.is_stopped = true;
        self.is_stop_asked.store(true, Ordering::Relaxed);
        while crew.parked < crew.present {
            crew = self.changed.wait(crew).unwrap_or_else(std::sync::PoisonError::into_inner);
        }
        let result = work(self.unused_by_others(seat));
        self.is_stop_asked.store(false, Ordering::Relaxed);
        crew.is_stopped = false;
        crew.parked -= 1;
        self.changed.notify_all();
        result
    }

    /// Keeps something until every worker has come past a safe point.
    pub(crate) fn retire(&self, what: T) {
        fence(Ordering::SeqCst);
        let since = self.places.iter().map(|place| place.passed.load(Ordering::Acquire)).collect();
        let mut waiting = lock(&self.waiting);
        waiting.push(Waiting { since, what });
        self.waiting_count.store(waiting.len(), Ordering::Relaxed);
    }

    #[inline]
    pub(crate) fn has_waiting(&self) -> bool {
        self.waiting_count.load(Ordering::Relaxed) != 0
    }

    /// What can be freed now.
    #[cold]
    pub(crate) fn freed(&self) -> Vec<T> {
        let mut waiting = lock(&self.waiting);
        let mut freed = Vec::new();
        let mut number = 0;
        while number < waiting.len() {
            let has_passed = |(seen, place): (&u64, &Place)| {
                // An even number is an empty place: whoever takes it comes after the exchange.
                seen % 2 == 0 || place.passed.load(Ordering::Acquire) != *seen
            };
            if waiting[number].since.iter().zip(&self.places[..]).all(has_passed) {
                freed.push(waiting.swap_remove(number).what);
            } else {
                number += 1;
            }
        }
        self.waiting_count.store(waiting.len(), Ordering::Relaxed);
        freed
    }
}
