//! What workers share and how they wait for each other: atomics, locks, threads. One of three, all with the same names.
//!
//! - The standard library's, where debug assertions are off: what users run, at no cost.
//! - `loom`'s under `--cfg loom`, whose tests try every order in which the steps of two workers can happen, and every value
//!   that a weak ordering lets them read. Too slow for whole searches.
//! - Those of [`controlled`] where debug assertions are on: the standard library's, before each use of which a thread asks
//!   whether it is its turn ([`crate::schedule`]). Nobody decides about turns unless a test has said so, and then asking is
//!   one look at a counter. So the tests that everybody runs have whole searches under control, in the build that everybody
//!   tests, without a second build or a feature that is forgotten.
//!
//! The `shuttle` crate does what `schedule` does. It was not taken since its atomics cannot be made of zeroed memory, of
//! which tables here consist, its waits never time out, on which searches rely, and it needs a build of its own.

#[cfg(all(debug_assertions, not(loom)))]
mod controlled;
#[cfg(all(debug_assertions, not(loom)))]
pub(crate) mod stage;

#[cfg(loom)]
pub use loom::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(loom)]
pub use loom::sync::{Condvar, Mutex, MutexGuard};
#[cfg(loom)]
pub use loom::thread::yield_now;

#[cfg(not(any(loom, debug_assertions)))]
pub use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
#[cfg(not(any(loom, debug_assertions)))]
pub use std::sync::{Condvar, Mutex, MutexGuard};
#[cfg(not(any(loom, debug_assertions)))]
pub use std::thread::{ScopedJoinHandle, scope, sleep, yield_now};

#[cfg(all(debug_assertions, not(loom)))]
pub use controlled::{
    AtomicBool, AtomicU8, AtomicU32, AtomicU64, AtomicUsize, Condvar, Mutex, MutexGuard, ScopedJoinHandle,
    fence, scope, sleep, spawn, yield_now,
};
#[cfg(all(debug_assertions, not(loom)))]
pub use std::sync::atomic::Ordering;

use std::sync::PoisonError;

/// Locks; what a worker left behind that panicked is as good as what it found, since every change under such a lock is made
/// in one step, or is not looked at again.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Begins a thread of a scope.
#[cfg(not(any(loom, debug_assertions)))]
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope std::thread::Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    scope.spawn(work)
}

/// A step on what is shared that is not made by one of the types here.
#[inline(always)]
pub(crate) fn step() {
    #[cfg(all(debug_assertions, not(loom)))]
    stage::step();
}
