//! The standard library's atomics, locks and threads, but that a thread asks for its turn before each step on them.
//!
//! A thread that cannot go on asks others to: it never blocks while it has the turn. Waiting with a time limit may always come
//! to its limit, so it does as soon as it is this thread's turn again.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{self as plain, Ordering};
use std::sync::{LockResult, PoisonError, TryLockError};
use std::thread::Scope;
use std::time::Duration;

use super::stage::{self, Member};

/// An atomic with the operations that are in use here; the same in memory as the one it is made of.
macro_rules! controlled {
    ($name:ident, $plain:ty, $value:ty, { $($more:item)* }) => {
        #[doc = concat!("An atomic `", stringify!($value), "`, see the module.")]
        #[derive(Debug, Default)]
        #[repr(transparent)]
        pub struct $name($plain);

        #[allow(missing_docs)]
        impl $name {
            pub const fn new(value: $value) -> Self {
                $name(<$plain>::new(value))
            }

            #[inline(always)]
            pub fn load(&self, order: Ordering) -> $value {
                stage::step();
                self.0.load(order)
            }

            #[inline(always)]
            pub fn store(&self, value: $value, order: Ordering) {
                stage::step();
                self.0.store(value, order);
            }

            #[inline(always)]
            pub fn swap(&self, value: $value, order: Ordering) -> $value {
                stage::step();
                self.0.swap(value, order)
            }

            #[inline(always)]
            pub fn compare_exchange(
                &self,
                expected: $value,
                value: $value,
                success: Ordering,
                failure: Ordering,
            ) -> Result<$value, $value> {
                stage::step();
                self.0.compare_exchange(expected, value, success, failure)
            }

            $($more)*
        }
    };
}

macro_rules! controlled_number {
    ($name:ident, $plain:ty, $value:ty) => {
        controlled!($name, $plain, $value, {
            #[inline(always)]
            pub fn fetch_add(&self, value: $value, order: Ordering) -> $value {
                stage::step();
                self.0.fetch_add(value, order)
            }

            #[inline(always)]
            pub fn fetch_sub(&self, value: $value, order: Ordering) -> $value {
                stage::step();
                self.0.fetch_sub(value, order)
            }

            #[inline(always)]
            pub fn fetch_or(&self, value: $value, order: Ordering) -> $value {
                stage::step();
                self.0.fetch_or(value, order)
            }

            #[inline(always)]
            pub fn fetch_max(&self, value: $value, order: Ordering) -> $value {
                stage::step();
                self.0.fetch_max(value, order)
            }
        });
    };
}

controlled!(AtomicBool, plain::AtomicBool, bool, {});
controlled_number!(AtomicU8, plain::AtomicU8, u8);
controlled_number!(AtomicU32, plain::AtomicU32, u32);
controlled_number!(AtomicU64, plain::AtomicU64, u64);
controlled_number!(AtomicUsize, plain::AtomicUsize, usize);

/// A fence; turns are sequentially consistent in any case.
#[inline(always)]
pub fn fence(order: Ordering) {
    plain::fence(order);
}

/// A lock.
#[derive(Debug, Default)]
pub struct Mutex<T>(std::sync::Mutex<T>);

/// A lock that is held.
#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    guard: std::sync::MutexGuard<'a, T>,
}

impl<T> std::ops::Deref for MutexGuard<'_, T> {
    type Target = T;

    #[inline]
    fn deref(&self) -> &T {
        &self.guard
    }
}

impl<T> std::ops::DerefMut for MutexGuard<'_, T> {
    #[inline]
    fn deref_mut(&mut self) -> &mut T {
        &mut self.guard
    }
}

impl<T> Mutex<T> {
    /// A lock with what it keeps.
    pub const fn new(value: T) -> Self {
        Mutex(std::sync::Mutex::new(value))
    }

    fn held<'a>(&'a self, result: LockResult<std::sync::MutexGuard<'a, T>>) -> LockResult<MutexGuard<'a, T>> {
        match result {
            Ok(guard) => Ok(MutexGuard { mutex: self, guard }),
            Err(poisoned) => Err(PoisonError::new(MutexGuard { mutex: self, guard: poisoned.into_inner() })),
        }
    }

    /// Waits for the lock.
    pub fn lock(&self) -> LockResult<MutexGuard<'_, T>> {
        if !stage::is_member() {
            return self.held(self.0.lock());
        }
        loop {
            stage::step();
            match self.0.try_lock() {
                Ok(guard) => return self.held(Ok(guard)),
                Err(TryLockError::Poisoned(poisoned)) => return self.held(Err(poisoned)),
                Err(TryLockError::WouldBlock) => stage::let_others(),
            }
        }
    }

    /// What it keeps.
    pub fn into_inner(self) -> LockResult<T> {
        self.0.into_inner()
    }

    /// What it keeps.
    pub fn get_mut(&mut self) -> LockResult<&mut T> {
        self.0.get_mut()
    }
}

/// What threads wait at until others say that something has changed.
#[derive(Debug, Default)]
pub struct Condvar {
    inner: std::sync::Condvar,
    /// How often it was said.
    said: plain::AtomicU64,
}

impl Condvar {
    /// Nobody waits.
    pub const fn new() -> Self {
        Condvar { inner: std::sync::Condvar::new(), said: plain::AtomicU64::new(0) }
    }

    /// Something has changed.
    pub fn notify_all(&self) {
        stage::step();
        self.said.fetch_add(1, Ordering::SeqCst);
        self.inner.notify_all();
    }

    /// Waits until something has changed.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> LockResult<MutexGuard<'a, T>> {
        let MutexGuard { mutex, guard } = guard;
        if !stage::is_member() {
            return mutex.held(self.inner.wait(guard));
        }
        let before = self.said.load(Ordering::SeqCst);
        drop(guard);
        while self.said.load(Ordering::SeqCst) == before {
            stage::let_others();
        }
        mutex.lock()
    }

    /// Waits until something has changed, for a limited time.
    pub fn wait_timeout<'a, T>(
        &self,
        guard: MutexGuard<'a, T>,
        time: Duration,
    ) -> LockResult<(MutexGuard<'a, T>, ())> {
        let MutexGuard { mutex, guard } = guard;
        if !stage::is_member() {
            return match self.inner.wait_timeout(guard, time) {
                Ok((guard, _)) => Ok((MutexGuard { mutex, guard }, ())),
                Err(poisoned) => {
                    let (guard, _) = poisoned.into_inner();
                    Err(PoisonError::new((MutexGuard { mutex, guard }, ())))
                }
            };
        }
        drop(guard);
        stage::let_others();
        match mutex.lock() {
            Ok(guard) => Ok((guard, ())),
            Err(poisoned) => Err(PoisonError::new((poisoned.into_inner(), ()))),
        }
    }
}

/// Lets others go on.
pub fn yield_now() {
    if stage::is_member() { stage::let_others() } else { std::thread::yield_now() }
}

/// Waits for some time.
pub fn sleep(time: Duration) {
    if stage::is_member() { stage::let_others() } else { std::thread::sleep(time) }
}

/// Threads that end before it does. Whoever waits for their end lets them go on, also where it panicked.
pub fn scope<'env, T>(work: impl for<'scope> FnOnce(&'scope Scope<'scope, 'env>) -> T) -> T {
    std::thread::scope(|scope| {
        let ended = catch_unwind(AssertUnwindSafe(|| work(scope)));
        stage::let_others_end();
        ended.unwrap_or_else(|panic| resume_unwind(panic))
    })
}

/// A thread of a scope.
pub struct ScopedJoinHandle<'scope, T> {
    handle: std::thread::ScopedJoinHandle<'scope, T>,
    member: Option<Member>,
}

/// Begins a thread of a scope, which takes part in turns if this one does.
pub fn spawn<'scope, T: Send + 'scope>(
    scope: &'scope Scope<'scope, '_>,
    work: impl FnOnce() -> T + Send + 'scope,
) -> ScopedJoinHandle<'scope, T> {
    let member = stage::new_member();
    let own = member.clone();
    let handle = scope.spawn(move || {
        let _turns = own.map(Member::take_part);
        work()
    });
    ScopedJoinHandle { handle, member }
}

impl<T> ScopedJoinHandle<'_, T> {
    /// Whether the thread has come to its end.
    pub fn is_finished(&self) -> bool {
        match &self.member {
            Some(member) => {
                stage::step();
                member.has_left()
            }
            None => self.handle.is_finished(),
        }
    }

    /// Waits for the end of the thread.
    pub fn join(self) -> std::thread::Result<T> {
        if let Some(member) = &self.member {
            member.await_end();
        }
        self.handle.join()
    }
}
