//! What the tests of several crates need: files of a corpus, a loader that reads the disk, files for the time of a test,
//! and random numbers that are the same on every machine.
//!
//! Only tests and the tools beside the rooms use it; no room does (`crates/cli/tests/architecture`).
#![forbid(unsafe_code)]

mod files;
mod random;

pub use files::{Disk, TemporaryFile, files_below, list_below};
pub use random::Random;

/// Whether the long rounds were asked for (`PROBITY_SLOW_TESTS`).
pub fn is_slow_round() -> bool {
    std::env::var_os("PROBITY_SLOW_TESTS").is_some()
}
