//! Work that is handed from one worker to another, and the end of all of it.
//!
//! Who has none asks by waiting here; who has some sees that somebody waits by one look at a counter, and puts down what it
//! can spare. When all workers wait and nothing lies here, there is no work left anywhere: a worker that waits has none.

use std::sync::PoisonError;
use std::time::Duration;

use store::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, lock};

use crate::product::Halt;
use crate::team::Team;

/// How long a worker waits before it looks at the clock and passes a safe point.
const PAUSE: Duration = Duration::from_millis(1);

struct Inner<T> {
    pieces: Vec<T>,
    waiting: usize,
    /// Workers that have begun.
    members: usize,
    is_done: bool,
}

pub(crate) struct Pool<T> {
    inner: Mutex<Inner<T>>,
    changed: Condvar,
    /// How many wait, beyond what lies here; for a look without the lock.
    wanted: AtomicUsize,
}

/// What a worker without work gets.
pub(crate) enum Taken<T> {
    Piece(T),
    /// There is no work left, or nobody wants it done any more.
    Nothing,
}

impl<T> Pool<T> {
    pub(crate) fn new(pieces: Vec<T>) -> Self {
        let inner = Inner { pieces, waiting: 0, members: 0, is_done: false };
        Pool { inner: Mutex::new(inner), changed: Condvar::new(), wanted: AtomicUsize::new(0) }
    }

    /// A worker begins. Until then nobody waits for it.
    pub(crate) fn join(&self) {
        self.lock().members += 1;
    }

    fn lock(&self) -> MutexGuard<'_, Inner<T>> {
        lock(&self.inner)
    }

    /// Whether somebody waits for work.
    #[inline]
    pub(crate) fn is_wanted(&self) -> bool {
        self.wanted.load(Ordering::Relaxed) != 0
    }

    fn note(&self, inner: &Inner<T>) {
        self.wanted.store(inner.waiting.saturating_sub(inner.pieces.len()), Ordering::Relaxed);
    }

    /// Puts work down for others.
    pub(crate) fn put(&self, pieces: impl IntoIterator<Item = T>) {
        let mut inner = self.lock();
        inner.pieces.extend(pieces);
        self.note(&inner);
        self.changed.notify_all();
    }

    /// Takes a piece, or waits for one. `meanwhile` is called again and again.
    pub(crate) fn take(
        &self,
        team: &Team,
        mut meanwhile: impl FnMut() -> Result<(), Halt>,
    ) -> Result<Taken<T>, Halt> {
        let mut inner = self.lock();
        inner.waiting += 1;
        loop {
            if let Some(piece) = inner.pieces.pop() {
                inner.waiting -= 1;
                self.note(&inner);
                return Ok(Taken::Piece(piece));
            }
            if inner.is_done || team.is_over() {
                return Ok(Taken::Nothing);
            }
            if inner.waiting == inner.members {
                inner.is_done = true;
                self.changed.notify_all();
                return Ok(Taken::Nothing);
            }
            self.note(&inner);
            let waited = self.changed.wait_timeout(inner, PAUSE).unwrap_or_else(PoisonError::into_inner);
            drop(waited);
            meanwhile()?;
            inner = self.lock();
        }
    }
}
