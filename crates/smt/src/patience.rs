//! How long to wait for a solver: until a time that somebody set, and for as long as its budget lasts.
//!
//! Budgets are for work, and a solver does not work while others have its processor: what it has used is asked of whoever can
//! tell, so that a busy machine changes no answer. Where nobody can tell, and for solvers that sleep, the clock on the wall
//! decides.

use std::fmt;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::limits;

type Read = dyn Fn(u32) -> Option<Duration> + Send + Sync;

/// How much time of processors a process has used up to now, by its number; nothing where the system does not tell.
#[derive(Clone)]
pub struct ProcessorTime(Arc<Read>);

impl ProcessorTime {
    pub fn new(read: impl Fn(u32) -> Option<Duration> + Send + Sync + 'static) -> ProcessorTime {
        ProcessorTime(Arc::new(read))
    }

    pub(crate) fn of(&self, process: u32) -> Option<Duration> {
        (self.0)(process)
    }
}

impl fmt::Debug for ProcessorTime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ProcessorTime")
    }
}

/// Until when to wait.
#[derive(Default)]
pub(crate) struct Patience {
    /// By the clock on the wall, whatever the solver has done by then.
    wall: Option<Instant>,
    work: Option<Work>,
}

struct Work {
    allowed: Duration,
    /// When it is worth asking what was used: nobody works faster than time goes by.
    look: Instant,
    /// What the process had used when it was first looked at.
    before: Option<Duration>,
    /// What it was last seen to have worked, and since when it was not seen to work more.
    worked: Duration,
    since: Instant,
}

impl Patience {
    /// From now on until the time is over, if it is limited, and for no more than some work, if that is.
    pub(crate) fn new(now: Instant, wall: Option<Duration>, work: Option<Duration>) -> Patience {
        let work = work.map(|allowed| Work {
            allowed,
            look: now + allowed,
            before: None,
            worked: Duration::ZERO,
            since: now,
        });
        Patience { wall: wall.map(|wall| now + wall), work }
    }

    /// When there may be something to decide again.
    pub(crate) fn next(&self) -> Option<Instant> {
        let look = self.work.as_ref().map(|work| work.look);
        match (self.wall, look) {
            (Some(wall), Some(look)) => Some(wall.min(look)),
            (wall, look) => wall.or(look),
        }
    }

    /// Whether there is nothing left to wait for; `used` is asked what the process has used of processors.
    ///
    /// What happens before the first look is not counted: most questions are answered by then, and asking the system costs as
    /// much as some of them.
    pub(crate) fn is_over(&mut self, now: Instant, used: impl Fn() -> Option<Duration>) -> bool {
        if self.wall.is_some_and(|wall| now >= wall) {
            return true;
        }
        let Some(work) = &mut self.work else { return false };
        if work.before.is_none() {
            work.before = used();
        }
        if now < work.look {
            return false;
        }
        let (Some(before), Some(used)) = (work.before, used()) else { return true };
        let worked = used.saturating_sub(before);
        if worked > work.worked {
            work.worked = worked;
            work.since = now;
        }
        let is_asleep = now.saturating_duration_since(work.since) >= limits::LONGEST_SLEEP;
        work.look = now + work.allowed.saturating_sub(worked).min(limits::WORK_GLANCE);
        worked >= work.allowed || is_asleep
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    /// Second by second up to 1000, how long it is waited for who has used what is given at each of them.
    fn waited(wall: Option<u32>, work: Option<u32>, used: impl Fn(u32) -> Option<Duration>) -> u32 {
        let start = Instant::now();
        let mut patience =
            Patience::new(start, wall.map(|wall| SECOND * wall), work.map(|work| SECOND * work));
        let is_over = |second: &u32| patience.is_over(start + SECOND * *second, || used(*second));
        (0..1_000).find(is_over).unwrap_or(1_000)
    }

    fn sleep() -> u32 {
        u32::try_from(limits::LONGEST_SLEEP.as_secs()).unwrap()
    }

    #[test]
    fn work_is_counted_where_it_is_known() {
        assert_eq!(waited(None, Some(7), |second| Some(SECOND * second)), 7);
        // What was used for the questions before is not counted.
        assert_eq!(waited(None, Some(7), |second| Some(SECOND * (second + 50))), 7);
        // One of ten others on the machine.
        assert_eq!(waited(None, Some(7), |second| Some(SECOND * second / 10)), 70);
        assert_eq!(waited(None, Some(7), |_| None), 7);
        assert_eq!(waited(None, None, |second| Some(SECOND * second)), 1_000);
    }

    #[test]
    fn who_sleeps_is_not_waited_for() {
        assert_eq!(waited(None, Some(7), |_| Some(SECOND)), 7.max(sleep()));
        assert_eq!(waited(None, Some(7), |second| Some(SECOND * second.min(3))), 7 + sleep());
        // Who does a little all the time is not asleep.
        assert_eq!(waited(None, Some(7), |second| Some(SECOND * (second / 5) / 50)), 1_000);
    }

    #[test]
    fn a_time_that_was_set_is_kept() {
        assert_eq!(waited(Some(9), Some(7), |second| Some(SECOND * second / 10)), 9);
        assert_eq!(waited(Some(9), None, |_| Some(SECOND)), 9);
        assert_eq!(waited(Some(9), Some(7), |second| Some(SECOND * second)), 7);
    }
}
