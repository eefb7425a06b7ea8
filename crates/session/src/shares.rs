//! Several searches on several workers, with one limit on their time.
//!
//! The limit is for all searches together, and it is shared so that none starves the others and that no answer depends on
//! the number of workers. In a first round each search has a small share, which is all that most need. What is left is
//! divided evenly among those that did not come to their end, who start again; and so once more as long as others gave
//! back so much that there is at least twice as much time as before.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use model::{Checked, Property, SearchOptions};
use verdict::{Limits, Observer, Progress, Reason, Verdict};

use crate::check::CheckOptions;
use crate::checkpoint::Checkpoints;
use crate::files::Loaded;

/// Which part of an even share a search has in the first round.
const FIRST_PART: u32 = 8;

/// A time limit beyond this is none, and clocks cannot count to it.
const LONGEST: Duration = Duration::from_secs(1_000_000_000);

/// Checks properties. The results are in the order of the properties, not in that of their ends.
pub(crate) fn run_all(
    loaded: &Loaded,
    properties: &[Property],
    options: &CheckOptions,
    checkpoints: Option<&Checkpoints>,
    observer: &mut (dyn Observer + Send),
) -> Vec<Checked> {
    let all: Vec<usize> = (0..properties.len()).collect();
    let round = Round { loaded, properties, options, checkpoints, observer: Mutex::new(observer) };
    let mut results: Vec<Option<Checked>> = Vec::new();
    results.resize_with(properties.len(), || None);
    let Some(time) = options.time.map(|time| time.min(LONGEST)) else {
        for (index, result, _) in round.run(&all, None) {
            results[index] = Some(result);
        }
        return results.into_iter().flatten().collect();
    };
    let mut open = all;
    let mut left = time;
    let mut before = None;
    while let Some(share) = share(left, open.len(), before) {
        before = Some(share);
        for (index, result, used) in round.run(&open, Some(share)) {
            left = left.saturating_sub(used);
            results[index] = Some(result);
        }
        open.retain(|index| results[*index].as_ref().is_some_and(is_out_of_time));
    }
    results.into_iter().flatten().collect()
}

/// How long each of so many searches may take in the next round, after they had `before`; none if that is not worth it.
fn share(left: Duration, searches: usize, before: Option<Duration>) -> Option<Duration> {
    let searches = u32::try_from(searches).ok().filter(|searches| *searches > 0)?;
    let even = left / searches;
    match before {
        None if searches == 1 => Some(even),
        None => Some(even / FIRST_PART),
        Some(before) => (even >= before * 2 && !even.is_zero()).then_some(even),
    }
}

fn is_out_of_time(result: &Checked) -> bool {
    let is_over = |verdict: &Verdict| *verdict == Verdict::Unknown(Reason::Timeout);
    result.as_ref().is_ok_and(|answer| answer.reports.iter().any(|report| is_over(&report.verdict)))
}

struct Round<'r, 'o> {
    loaded: &'r Loaded,
    properties: &'r [Property],
    options: &'r CheckOptions,
    checkpoints: Option<&'r Checkpoints>,
    observer: Mutex<&'o mut (dyn Observer + Send)>,
}

impl Round<'_, '_> {
    /// Checks some of the properties, each as long as it may, and says how long each took.
    fn run(&self, indices: &[usize], share: Option<Duration>) -> Vec<(usize, Checked, Duration)> {
        let next = Mutex::new(indices.iter());
        let results = Mutex::new(Vec::with_capacity(indices.len()));
        let workers = self.options.all_workers();
        let at_once = workers.clamp(1, indices.len().max(1));
        // Workers that are not needed for other searches share one.
        let each = workers / at_once;
        let work = || {
            loop {
                let Some(&index) = lock(&next).next() else { return };
                let start = Instant::now();
                let result = self.run_one(index, each, share.map(|share| start + share));
                lock(&results).push((index, result, start.elapsed()));
            }
        };
        std::thread::scope(|scope| {
            // This thread is the first worker: its stack is known to be large enough.
            for _ in 1..at_once {
                scope.spawn(work);
            }
            work();
        });
        std::mem::take(&mut *lock(&results))
    }

    fn run_one(&self, index: usize, workers: usize, deadline: Option<Instant>) -> Checked {
        let property = &self.properties[index];
        let limits = Limits { deadline, ..self.options.limits.clone() };
        let keeper = self.checkpoints.map(|checkpoints| checkpoints.keeper(index));
        let options = SearchOptions { keeper, ..self.options.search(workers, limits) };
        let mut observer = NamedObserver {
            observer: &self.observer,
            property: property.report_names().join(", "),
            search: (index + 1, self.properties.len()),
        };
        self.loaded.model.check(&self.loaded.sources, property, &options, &mut observer)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> std::sync::MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Adds to what a search tells which property it is about.
struct NamedObserver<'a, 'o> {
    observer: &'a Mutex<&'o mut (dyn Observer + Send)>,
    property: String,
    search: (usize, usize),
}

impl Observer for NamedObserver<'_, '_> {
    fn observe(&mut self, progress: &Progress) {
        let named = Progress { property: self.property.clone(), search: self.search, ..progress.clone() };
        lock(self.observer).observe(&named);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_is_shared_evenly_and_given_on() {
        let seconds = Duration::from_secs;
        assert_eq!(share(seconds(80), 1, None), Some(seconds(80)));
        assert_eq!(share(seconds(80), 5, None), Some(seconds(2)));
        // One is left, and has nearly everything.
        assert_eq!(share(seconds(70), 1, Some(seconds(2))), Some(seconds(70)));
        // All have used all of their time.
        assert_eq!(share(seconds(0), 2, Some(seconds(35))), None);
        assert_eq!(share(seconds(20), 1, Some(seconds(35))), None);
        assert_eq!(share(seconds(20), 0, Some(seconds(1))), None);
        assert_eq!(share(seconds(0), 3, None), Some(seconds(0)));
    }
}
