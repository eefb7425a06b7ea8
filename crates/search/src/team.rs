//! Several workers at one search.
//!
//! Each worker has a view of the product and a clock of its own; what they share is whether to stop and why. The calling
//! thread is the first worker, and the only one that reports progress. It may have a head start: the others wait until it
//! lets them begin, and if it comes to its end before that, they never do. All come back before the search is concluded.

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::time::Duration;

use store::sync::{AtomicBool, AtomicU8, AtomicU64, Mutex, Ordering, lock, scope, sleep, spawn};

use crate::control::Control;
use crate::product::{Halt, Shared};

/// How long a worker that is done waits before it passes a safe point again.
const PAUSE: Duration = Duration::from_micros(100);

/// Whether workers other than the first may begin.
const NOT_YET: u8 = 0;
const BEGIN: u8 = 1;
const NEVER: u8 = 2;

/// What the workers of a search have in common.
#[derive(Debug, Default)]
pub(crate) struct Team {
    is_over: AtomicBool,
    halt: Mutex<Option<Halt>>,
    /// Transitions of all workers, as of their last looks at the clock.
    pub(crate) transitions: AtomicU64,
    gate: AtomicU8,
}

impl Team {
    /// Whether all are to stop, for whatever reason.
    #[inline]
    pub(crate) fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Relaxed)
    }

    /// The search has its answer; what ends others from now on does not matter.
    pub(crate) fn finish(&self) {
        self.is_over.store(true, Ordering::Release);
    }

    /// The search ends without an answer, unless it is over.
    pub(crate) fn fail(&self, halt: Halt) {
        let mut first = lock(&self.halt);
        if !self.is_over.swap(true, Ordering::AcqRel) {
            *first = Some(halt);
        }
    }

    /// Lets the workers begin that wait for that.
    pub(crate) fn let_begin(&self) {
        if self.gate.load(Ordering::Relaxed) == NOT_YET {
            let _ = self.gate.compare_exchange(NOT_YET, BEGIN, Ordering::AcqRel, Ordering::Relaxed);
        }
    }

    /// The first worker has nothing left to do: where it was alone, nobody has.
    pub(crate) fn first_is_done(&self) {
        let _ = self.gate.compare_exchange(NOT_YET, NEVER, Ordering::AcqRel, Ordering::Relaxed);
    }

    /// Waits until a worker may begin, or knows that it never may.
    fn may_begin<P: Shared>(&self, view: &mut P) -> bool {
        loop {
            match self.gate.load(Ordering::Acquire) {
                NOT_YET => {
                    view.rest();
                    sleep(PAUSE);
                }
                gate => return gate == BEGIN,
            }
        }
    }

    fn ended(&self) -> Result<(), Halt> {
        let halt = lock(&self.halt).take();
        halt.map_or(Ok(()), Err)
    }
}

/// Has `work` done by so many workers at once, with their numbers, and gives what each has found. The search is cut short
/// when one of them is, unless [`Team::finish`] was called before. The product must have its initial states.
pub(crate) fn together<P: Shared, T: Send>(
    product: &mut P,
    control: &mut Control<'_>,
    workers: usize,
    work: impl Fn(usize, &Team, &mut P, &mut Control<'_>, &mut T) -> Result<(), Halt> + Sync,
    mut found: impl FnMut() -> T,
) -> (Vec<T>, Result<(), Halt>) {
    let team = Team::default();
    let mut views = Vec::new();
    let mut results: Vec<T> = vec![found()];
    for _ in 1..workers {
        match product.another() {
            Ok(view) => views.push(view),
            Err(halt) => return (results, Err(halt)),
        }
        results.push(found());
    }
    let (limits, kept) = (control.limits(), control.kept());
    let run = |number: usize, view: &mut P, control: &mut Control<'_>, found: &mut T| {
        // A worker that panics must not leave the others waiting for it.
        if let Some(kept) = kept.filter(|_| number != 0) {
            kept.pauses.join();
        }
        let ended = catch_unwind(AssertUnwindSafe(|| work(number, &team, view, control, found)));
        if let Some(kept) = kept {
            kept.pauses.leave();
        }
        match ended {
            Ok(Ok(())) => None,
            Ok(Err(halt)) => {
                team.fail(halt);
                None
            }
            Err(panic) => {
                team.finish();
                Some(panic)
            }
        }
    };
    if let Some(kept) = kept {
        // The first one has counted what came before: nobody else may take a part of the search for the whole.
        kept.pauses.join();
    }
    let (first, others) = results.split_at_mut(1);
    let mut panic = None;
    scope(|scope| {
        let mut handles = Vec::new();
        for ((number, mut view), found) in (1..).zip(views).zip(others) {
            let (run, team) = (&run, &team);
            handles.push(spawn(scope, move || {
                let mut control = Control::of_worker(limits, team, kept);
                let panic = if team.may_begin(&mut view) {
                    run(number, &mut view, &mut control, found)
                } else {
                    None
                };
                (control.into_own_statistics(), panic)
            }));
        }
        control.join(&team, |control| panic = run(0, product, control, &mut first[0]));
        // Others may still need this one at a safe point.
        while !handles.iter().all(|handle| handle.is_finished()) {
            product.rest();
            sleep(PAUSE);
        }
        for handle in handles {
            match handle.join() {
                Ok((statistics, None)) => control.add(&statistics),
                Ok((_, Some(other))) | Err(other) => panic = Some(other),
            }
        }
    });
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
    (results, team.ended())
}
