//! Workers: each takes the next job for which everything is known, until there is none.
//!
//! Jobs share nothing that changes, so what they find out does not depend on who runs them or when. A job that panics
//! is a fault of its own: its member has no verdict, the others go on.

use std::any::Any;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use verdict::failure::Finding;
use verdict::{Reason, Verdict};

use super::bundle::Bundle;
use super::job::{Base, Found, Job};
use super::plan::{Entry, Plan};
use crate::engine::Untrusted;
use crate::limits;

pub(super) struct Pool<'r> {
    base: &'r Base<'r>,
    plan: &'r Plan,
    /// For each entry, who waits for it, by their positions in the plan's order.
    dependents: Vec<Vec<usize>>,
    shared: Mutex<Shared>,
    changed: Condvar,
}

/// What the workers tell each other.
#[derive(Default)]
struct Shared {
    /// Entries that can be started, by their position in the plan's order.
    ready: std::collections::BTreeSet<usize>,
    /// For each entry, how many others it waits for.
    waiting: Vec<usize>,
    /// Entries that no worker has taken.
    untaken: usize,
    bundles: Vec<Option<Arc<Bundle>>>,
    reports: Vec<Option<Finding>>,
    /// Whether it is known what each entry means to others.
    settled: Vec<bool>,
}

impl<'r> Pool<'r> {
    pub(super) fn new(base: &'r Base<'r>, plan: &'r Plan) -> Pool<'r> {
        let count = plan.entries.len();
        let shared = Shared {
            bundles: (0..count).map(|_| None).collect(),
            reports: (0..count).map(|_| None).collect(),
            settled: vec![false; count],
            ..Shared::default()
        };
        let mut dependents = vec![Vec::new(); count];
        for (position, place) in plan.order.iter().enumerate() {
            plan.entries[*place].needs.iter().for_each(|need| dependents[*need].push(position));
        }
        Pool { base, plan, dependents, shared: Mutex::new(shared), changed: Condvar::new() }
    }

    /// Looks at every entry of the plan.
    pub(super) fn run(&self, untrusted: &Arc<Untrusted>) {
        {
            let mut shared = self.lock();
            shared.waiting = self.plan.entries.iter().map(|entry| entry.needs.len()).collect();
            shared.untaken = self.plan.entries.len();
            shared.ready = (0..self.plan.order.len())
                .filter(|position| self.plan.entries[self.plan.order[*position]].needs.is_empty())
                .collect();
        }
        self.work_together(untrusted);
    }

    /// Looks at some entries once more; what is known of functions stays as it is.
    pub(super) fn run_again(&self, places: &[usize], untrusted: &Arc<Untrusted>) {
        {
            let mut shared = self.lock();
            shared.untaken = places.len();
            let is_asked = |position: &usize| places.contains(&self.plan.order[*position]);
            shared.ready = (0..self.plan.order.len()).filter(is_asked).collect();
        }
        self.work_together(untrusted);
    }

    /// Makes known what a function says as it is written, although it is refuted; whether it says anything.
    pub(super) fn define_as_written(&self, place: usize, untrusted: &Arc<Untrusted>) -> bool {
        let finding = self.run_job(place, &self.plan.entries[place], untrusted, true);
        self.lock().bundles[place] = finding.bundle.map(Arc::new);
        finding.is_settled
    }

    /// The verdict on an entry by what is known now.
    pub(super) fn look_again(&self, place: usize, untrusted: &Arc<Untrusted>) -> Verdict {
        self.run_job(place, &self.plan.entries[place], untrusted, false).report.verdict
    }

    /// Replaces a report.
    pub(super) fn revise(&mut self, place: usize, revise: impl FnOnce(&mut Finding)) {
        let shared = self.shared.get_mut().unwrap_or_else(PoisonError::into_inner);
        if let Some(report) = &mut shared.reports[place] {
            revise(report);
            self.base.observer.member_finished(place, report);
        }
    }

    /// The reports so far, in the order of the plan.
    pub(super) fn reports(&mut self) -> impl Iterator<Item = &Finding> {
        let shared = self.shared.get_mut().unwrap_or_else(PoisonError::into_inner);
        shared.reports.iter().flatten()
    }

    /// The reports, each with whether it is known what its member means to others.
    pub(super) fn into_reports(self) -> Vec<(Finding, bool)> {
        let shared = self.shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        shared.reports.into_iter().flatten().zip(shared.settled).collect()
    }

    fn work_together(&self, untrusted: &Arc<Untrusted>) {
        let untaken = self.lock().untaken;
        let workers = self.base.options.workers.clamp(1, untaken.max(1));
        self.base.standby.want(workers.min(untaken));
        if !self.base.options.expects_answers() {
            self.base.standby.fill();
        }
        std::thread::scope(|scope| {
            for number in 0..workers {
                let builder = std::thread::Builder::new().name(format!("worker {number}"));
                // With fewer threads the run takes longer.
                let _ = builder.stack_size(limits::STACK_BYTES).spawn_scoped(scope, || self.work(untrusted));
            }
        });
        // Where no thread could be started, the work is done here: the verdict must not depend on that.
        self.work(untrusted);
    }

    fn work(&self, untrusted: &Arc<Untrusted>) {
        while let Some(place) = self.take() {
            let entry = &self.plan.entries[place];
            self.base.observer.member_started(place);
            let finding = self.run_job(place, entry, untrusted, self.base.options.all_errors);
            self.base.observer.member_finished(place, &finding.report);
            self.put(place, finding);
        }
    }

    /// The next entry to look at; none when all are taken.
    fn take(&self) -> Option<usize> {
        let mut shared = self.lock();
        loop {
            if let Some(position) = shared.ready.pop_first() {
                shared.untaken -= 1;
                self.base.standby.want(self.base.options.workers.min(shared.untaken));
                return Some(self.plan.order[position]);
            }
            if shared.untaken == 0 {
                return None;
            }
            shared = self.changed.wait(shared).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn run_job(&self, place: usize, entry: &Entry, untrusted: &Arc<Untrusted>, goes_on: bool) -> Found {
        let bundles = {
            let shared = self.lock();
            entry.needs.iter().filter_map(|need| shared.bundles[*need].clone()).collect()
        };
        let start = Instant::now();
        let job = Job { base: self.base, entry, place, bundles, untrusted: untrusted.clone(), goes_on };
        catch_unwind(AssertUnwindSafe(|| job.run())).unwrap_or_else(|panic| {
            let mut finding = Found::unknown(entry, Reason::Internal(fault(panic.as_ref())));
            finding.report.cost.time = start.elapsed();
            finding
        })
    }

    fn put(&self, place: usize, finding: Found) {
        let Found { report, bundle, is_settled } = finding;
        let mut shared = self.lock();
        shared.settled[place] = is_settled;
        let is_first = shared.reports[place].replace(report).is_none();
        if is_first {
            shared.bundles[place] = bundle.map(Arc::new);
            for position in &self.dependents[place] {
                let other = self.plan.order[*position];
                shared.waiting[other] -= 1;
                if shared.waiting[other] == 0 {
                    shared.ready.insert(*position);
                }
            }
        }
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, Shared> {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A sentence for a panic.
fn fault(panic: &(dyn Any + Send)) -> String {
    let message = panic
        .downcast_ref::<&str>()
        .map(|text| (*text).to_string())
        .or_else(|| panic.downcast_ref::<String>().cloned())
        .unwrap_or_default();
    let message = message.lines().next().unwrap_or_default();
    format!("the engine stopped by a fault of its own ({message}); please report it with this input")
}
