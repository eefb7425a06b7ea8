//! The bounds of a run.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// What a run may use. The default is everything there is.
#[derive(Clone, Debug, Default)]
pub struct Limits {
    /// Stop when more distinct states than this are stored.
    pub max_states: Option<u64>,
    /// Stop when the tables of the run hold more bytes than this.
    pub max_memory_bytes: Option<u64>,
    /// Stop at this moment.
    pub deadline: Option<Instant>,
    /// Stop soon after this is set.
    pub interrupt: Arc<AtomicBool>,
}

impl Limits {
    /// Whether the run was asked to stop.
    pub fn is_interrupted(&self) -> bool {
        self.interrupt.load(Ordering::Relaxed)
    }
}
