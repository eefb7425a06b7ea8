//! How many bytes a store holds, and how many it may hold.

use crate::StoreFull;
use crate::sync::{AtomicUsize, Ordering};

/// The bytes of all tables of one store. Workers take what they need before they allocate it, so that together they never
/// hold more than allowed.
#[derive(Debug)]
pub(crate) struct Budget {
    held: AtomicUsize,
    limit: AtomicUsize,
}

impl Budget {
    pub(crate) fn new() -> Self {
        Budget { held: AtomicUsize::new(0), limit: AtomicUsize::new(usize::MAX) }
    }

    pub(crate) fn held(&self) -> usize {
        self.held.load(Ordering::Relaxed)
    }

    pub(crate) fn limit(&self) -> usize {
        self.limit.load(Ordering::Relaxed)
    }

    pub(crate) fn set_limit(&self, bytes: usize) {
        self.limit.store(bytes, Ordering::Relaxed);
    }

    /// Counts bytes that are about to be allocated.
    pub(crate) fn take(&self, bytes: usize) -> Result<(), StoreFull> {
        let before = self.held.fetch_add(bytes, Ordering::Relaxed);
        if before.saturating_add(bytes) <= self.limit() {
            return Ok(());
        }
        self.give_back(bytes);
        Err(StoreFull::MemoryLimit)
    }

    /// Counts bytes as given back.
    pub(crate) fn give_back(&self, bytes: usize) {
        self.held.fetch_sub(bytes, Ordering::Relaxed);
    }
}
