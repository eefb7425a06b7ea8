//! Moments in which all workers of a search stand still, so that what is kept of it comes from one moment.
//!
//! Whoever sees that it is time asks for a pause, and waits until all others that take part have come to a place where they can
//! stand: between two states, or where they wait for each other anyway. There each says what only it knows. The one that
//! asked then looks at what all share, and lets the others go on. Nobody who stands holds anything of the store, and all go
//! on passing safe points: one that is not there yet may need them to.
//!
//! Where a worker has come to its end, nobody knows any more what only that one knew; from then on there are no pauses.

use std::sync::PoisonError;
use std::time::{Duration, Instant};

use store::Bits;
use store::sync::{AtomicBool, Condvar, Mutex, MutexGuard, Ordering, lock};
use verdict::Statistics;

use crate::faults::{FaultLog, SavedFault};
use crate::kept::{Checkpoint, Kept, Saved, SavedLevel};
use crate::product::{Product, StateId};

/// How long one waits for others before it passes a safe point again.
const PAUSE: Duration = Duration::from_micros(200);

/// What only one worker knows.
#[derive(Default)]
pub(crate) struct Part {
    pub(crate) faults: Vec<SavedFault>,
    /// States on its stack, where that matters.
    pub(crate) states: Vec<StateId>,
    /// It is in the middle of something that others must not take for done.
    pub(crate) is_busy: bool,
    /// States that it knows to be final.
    pub(crate) finals: Bits,
    pub(crate) statistics: Statistics,
}

/// What is known when all stand still.
pub(crate) struct Whole<'w> {
    /// Which states are final; see [`crate::kept`].
    pub(crate) is_final: Box<dyn Fn(StateId) -> bool + 'w>,
    pub(crate) level: SavedLevel,
    /// What was counted was looked at for faults and accepting sinks.
    pub(crate) is_reachability: bool,
}

impl<'w> Whole<'w> {
    pub(crate) fn finals(is_final: impl Fn(StateId) -> bool + 'w) -> Self {
        Whole { is_final: Box::new(is_final), level: SavedLevel::default(), is_reachability: false }
    }
}

/// What a worker says when it stands still.
pub(crate) trait Pausing {
    /// What only this one knows.
    fn part(&self) -> Part {
        Part::default()
    }

    /// What all know together; asked of one worker, with the parts of all.
    fn whole<'w>(&'w self, parts: &'w [Part]) -> Whole<'w>;
}

/// A worker of a search for faults: there is nothing that is final.
impl Pausing for FaultLog {
    fn part(&self) -> Part {
        Part { faults: self.saved(), ..Part::default() }
    }

    fn whole<'w>(&'w self, _: &'w [Part]) -> Whole<'w> {
        Whole { is_reachability: true, ..Whole::finals(|_| false) }
    }
}

/// A worker that knows nothing that others do not, by what all know of states.
pub(crate) struct Final<F: Fn(StateId) -> bool>(pub(crate) F);

impl<F: Fn(StateId) -> bool> Pausing for Final<F> {
    fn whole<'w>(&'w self, _: &'w [Part]) -> Whole<'w> {
        Whole::finals(&self.0)
    }
}

/// A worker in the middle of something that may still change what is final.
pub(crate) struct Busy;

impl Pausing for Busy {
    fn part(&self) -> Part {
        Part { is_busy: true, ..Part::default() }
    }

    fn whole<'w>(&'w self, _: &'w [Part]) -> Whole<'w> {
        Whole::finals(|_| false)
    }
}

struct Inner {
    /// Workers that have begun and not come to their end.
    present: usize,
    /// What those have said that stand still.
    parts: Vec<Part>,
    is_asked: bool,
    /// How many pauses have ended.
    round: u64,
    /// All that is known to be final.
    finals: Bits,
}

pub(crate) struct Pauses {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// For a look without the lock.
    is_asked: AtomicBool,
    is_closed: AtomicBool,
}

impl Pauses {
    pub(crate) fn new(finals: Bits) -> Self {
        let inner = Inner { present: 0, parts: Vec::new(), is_asked: false, round: 0, finals };
        Pauses {
            inner: Mutex::new(inner),
            changed: Condvar::new(),
            is_asked: AtomicBool::new(false),
            is_closed: AtomicBool::new(false),
        }
    }

    #[inline]
    pub(crate) fn is_asked(&self) -> bool {
        self.is_asked.load(Ordering::Relaxed)
    }

    #[inline]
    pub(crate) fn is_closed(&self) -> bool {
        self.is_closed.load(Ordering::Relaxed)
    }

    /// A worker of several begins.
    pub(crate) fn join(&self) {
        lock(&self.inner).present += 1;
    }

    /// A worker comes to its end.
    pub(crate) fn leave(&self) {
        let mut inner = lock(&self.inner);
        inner.present -= 1;
        self.is_closed.store(true, Ordering::Relaxed);
        self.changed.notify_all();
    }

    fn wait<'l, P: Product>(
        &'l self,
        inner: MutexGuard<'l, Inner>,
        product: &mut P,
    ) -> MutexGuard<'l, Inner> {
        drop(self.changed.wait_timeout(inner, PAUSE).unwrap_or_else(PoisonError::into_inner));
        product.rest();
        lock(&self.inner)
    }

    /// Stands still, and takes a checkpoint where nobody else does. `is_over`: there is nothing to stand still for any more.
    #[cold]
    pub(crate) fn stand<P: Product>(
        kept: &Kept<'_>,
        product: &mut P,
        search: &impl Pausing,
        statistics: &Statistics,
        is_over: impl Fn() -> bool,
    ) {
        let pauses = &kept.pauses;
        // What this worker has stored and what numbers it holds is known from here on.
        product.rest();
        let part = Part { statistics: statistics.clone(), ..search.part() };
        let mut inner = lock(&pauses.inner);
        if inner.is_asked {
            let round = inner.round;
            inner.parts.push(part);
            pauses.changed.notify_all();
            while inner.round == round && !is_over() {
                inner = pauses.wait(inner, product);
            }
            return;
        }
        if pauses.is_closed() {
            return;
        }
        let began = Instant::now();
        inner.is_asked = true;
        pauses.is_asked.store(true, Ordering::Relaxed);
        while inner.parts.len() + 1 < inner.present && !pauses.is_closed() && !is_over() {
            inner = pauses.wait(inner, product);
        }
        let mut checkpoint = None;
        if !pauses.is_closed() && !is_over() {
            let mut parts = std::mem::take(&mut inner.parts);
            parts.push(part);
            let saved = saved(kept, product, search.whole(&parts), &parts, &mut inner.finals);
            // What was said to be final is so only if the product can be kept as well.
            checkpoint = product.freeze().map(|product| (saved, product));
        }
        inner.parts.clear();
        inner.is_asked = false;
        inner.round += 1;
        pauses.is_asked.store(false, Ordering::Relaxed);
        // Before anybody asks again whether it is time.
        if let Some((saved, product)) = checkpoint {
            kept.save(Checkpoint { stage: kept.stage(), saved, product, pause: began.elapsed() });
        }
        pauses.changed.notify_all();
    }
}

/// What is kept beside the product.
fn saved<P: Product>(
    kept: &Kept<'_>,
    product: &P,
    whole: Whole<'_>,
    parts: &[Part],
    finals: &mut Bits,
) -> Saved {
    let bound = product.bound();
    let Whole { is_final, level, is_reachability } = whole;
    for state in (0..bound as u32).map(StateId) {
        if !finals.contains(state) && is_final(state) {
            finals.insert(state);
        }
    }
    let before = kept.resumed.iter().map(|saved| &saved.faults[..]);
    let sum = |count: fn(&Statistics) -> u64| parts.iter().map(|part| count(&part.statistics)).sum();
    Saved {
        counted: kept.counted.below(bound),
        finals: finals.clone(),
        transitions: sum(|statistics| statistics.transitions),
        expansions: sum(|statistics| statistics.expansions),
        depth: parts.iter().map(|part| part.statistics.depth).max().unwrap_or(0),
        // Those that were met before the search was taken up are nobody's part.
        faults: FaultLog::join(before.chain(parts.iter().map(|part| &part.faults[..]))),
        level,
        is_reachability,
    }
}
