//! Who keeps one search: says when it is time, and writes checkpoints while the search goes on.
//!
//! A thread of its own waits until it is time, then for a checkpoint, and writes it. The next one comes after the time that was
//! asked for, or later: all that a checkpoint costs, workers that stand still and the work of writing, must be a small part
//! of the time between two.

use std::fs::File;
use std::io::{BufReader, Error, Read, Write};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use model::KeepsSearch;
use search::{Checkpoint, Keeper};

use super::folder::Folder;

/// The time between two checkpoints is at least so many times what one costs: all of them cost less than 4 % of a run.
const TIMES_THE_COST: u32 = 25;

/// What all searches of a run have in common.
#[derive(Debug)]
pub(super) struct Kept {
    /// Where checkpoints are written, and how often.
    pub(super) folder: Option<(Folder, Duration)>,
    /// The file with the last checkpoint of each property.
    pub(super) last: Mutex<Vec<Option<PathBuf>>>,
    /// Why a checkpoint could not be written, the first time.
    pub(super) trouble: Mutex<Option<String>>,
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Keeps the search of one property.
#[derive(Debug)]
pub(super) struct PropertyKeeper {
    shared: Arc<Shared>,
    writer: Option<JoinHandle<()>>,
}

#[derive(Debug)]
struct Shared {
    kept: Arc<Kept>,
    property: usize,
    is_due: AtomicBool,
    /// The search is over: nobody needs what is being written.
    is_over: AtomicBool,
    waiting: Mutex<Option<Job>>,
    changed: Condvar,
}

struct Job(Checkpoint);

impl std::fmt::Debug for Job {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a checkpoint")
    }
}

impl PropertyKeeper {
    pub(super) fn new(kept: Arc<Kept>, property: usize) -> PropertyKeeper {
        let every = kept.folder.as_ref().map(|(_, every)| *every);
        let shared = Arc::new(Shared {
            kept,
            property,
            is_due: AtomicBool::new(false),
            is_over: AtomicBool::new(false),
            waiting: Mutex::new(None),
            changed: Condvar::new(),
        });
        let writer = every.map(|every| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || shared.write_all(every))
        });
        PropertyKeeper { shared, writer }
    }
}

impl Drop for PropertyKeeper {
    fn drop(&mut self) {
        self.shared.is_over.store(true, Ordering::Relaxed);
        // Under the lock, so that it is not missed between a look and a wait.
        drop(lock(&self.shared.waiting));
        self.shared.changed.notify_all();
        if let Some(writer) = self.writer.take() {
            let _ = writer.join();
        }
    }
}

impl Keeper for PropertyKeeper {
    #[inline]
    fn is_due(&self) -> bool {
        self.shared.is_due.load(Ordering::Relaxed)
    }

    fn save(&self, checkpoint: Checkpoint) {
        self.shared.is_due.store(false, Ordering::Relaxed);
        *lock(&self.shared.waiting) = Some(Job(checkpoint));
        self.shared.changed.notify_all();
    }
}

impl KeepsSearch for PropertyKeeper {
    fn is_keeping(&self) -> bool {
        self.writer.is_some()
    }

    fn last(&self) -> Result<Option<Box<dyn Read>>, Error> {
        let path = lock(&self.shared.kept.last).get(self.shared.property).cloned().flatten();
        let open = |path| Ok(Box::new(BufReader::with_capacity(1 << 18, File::open(path)?)) as Box<dyn Read>);
        path.map(open).transpose()
    }
}

impl Shared {
    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// Waits for some time, unless the search is over before.
    fn sleep(&self, time: Duration) {
        let end = Instant::now().checked_add(time);
        let mut waiting = lock(&self.waiting);
        while !self.is_over() {
            let left = end.map_or(time, |end| end.saturating_duration_since(Instant::now()));
            if left.is_zero() {
                return;
            }
            let waited = self.changed.wait_timeout(waiting, left);
            waiting = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
    }

    /// The next checkpoint; none when the search is over.
    fn next(&self) -> Option<Checkpoint> {
        let mut waiting = lock(&self.waiting);
        loop {
            if self.is_over() {
                return None;
            }
            if let Some(Job(checkpoint)) = waiting.take() {
                return Some(checkpoint);
            }
            waiting = self.changed.wait(waiting).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn write_all(&self, every: Duration) {
        let mut time = every;
        loop {
            self.sleep(time);
            self.is_due.store(true, Ordering::Relaxed);
            let Some(checkpoint) = self.next() else { return };
            let cost = self.write(&checkpoint);
            time = every.max((checkpoint.pause() + cost) * TIMES_THE_COST);
        }
    }

    /// Writes a checkpoint, and says how long that took, without the time in which the disk has to catch up.
    fn write(&self, checkpoint: &Checkpoint) -> Duration {
        let Some((folder, _)) = &self.kept.folder else { return Duration::ZERO };
        let began = Instant::now();
        let mut cost = None;
        let written = folder.replace(
            self.property,
            |out| checkpoint.write(&mut Stopped { out, is_over: &self.is_over }),
            || cost = Some(began.elapsed()),
        );
        match written {
            Ok(path) => {
                if let Some(last) = lock(&self.kept.last).get_mut(self.property) {
                    *last = Some(path);
                }
            }
            Err(_) if self.is_over() => {}
            Err(error) => {
                lock(&self.kept.trouble).get_or_insert_with(|| error.to_string());
            }
        }
        cost.unwrap_or_else(|| began.elapsed())
    }
}

/// Writes until the search is over.
struct Stopped<'s> {
    out: &'s mut dyn Write,
    is_over: &'s AtomicBool,
}

impl Write for Stopped<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<usize, Error> {
        if self.is_over.load(Ordering::Relaxed) {
            return Err(Error::other("the search is over"));
        }
        self.out.write(bytes)
    }

    fn flush(&mut self) -> Result<(), Error> {
        self.out.flush()
    }
}
