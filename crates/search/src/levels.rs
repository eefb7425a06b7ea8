//! Reachability by several workers, level by level: the shortest path to a fault.
//!
//! The states of a level lie in one list, from which workers take portions; what they discover is the next level. A level
//! begins when the one before it is done. The lists stay, four bytes for a state, and a path is found from its end: some
//! state of the level before has an edge to the one at hand.

use std::sync::PoisonError;
use std::time::Duration;

use store::Bits;
use store::sync::{AtomicUsize, Condvar, Mutex, MutexGuard, Ordering, lock};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::kept::SavedLevel;
use crate::outcome::{Outcome, conclude};
use crate::pause::{Part, Pausing, Whole};
use crate::product::{Expansion, Halt, Product, Shared, StateId};
use crate::reach_dfs::{ReachOptions, collect_faults};
use crate::steal::find_ways_again;
use crate::team::{Team, together};

/// States that a worker takes at once.
const PORTION: usize = 64;

/// How long a worker waits for the others before it looks at the clock and passes a safe point.
const PAUSE: Duration = Duration::from_millis(1);

/// The levels known so far, and who is done with the last of them.
struct Levels {
    inner: Mutex<Inner>,
    changed: Condvar,
    /// How many states of the current level were taken.
    taken: AtomicUsize,
}

struct Inner {
    /// All levels but the current one, in their order.
    before: Vec<Vec<u32>>,
    current: std::sync::Arc<Vec<u32>>,
    next: Vec<u32>,
    /// Workers that have begun.
    members: usize,
    /// Those that have nothing left to do at this level.
    done: usize,
    /// The shortest path to a fault has this many steps.
    shortest: Option<u64>,
    is_over: bool,
}

impl Levels {
    fn lock(&self) -> MutexGuard<'_, Inner> {
        lock(&self.inner)
    }
}

/// Explores the product level by level.
pub(crate) fn levels<P: Shared>(
    product: &mut P,
    options: ReachOptions,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let mut faults = control.faults();
    let initial = match control.start(product) {
        Ok(initial) => initial,
        Err(halt) => return conclude(product, control, 0, faults, Err(halt)),
    };
    let mut first: Vec<u32> = initial.iter().map(|state| state.0).collect();
    first.sort_unstable();
    first.dedup();
    let (before, current, next) = match (control.resumed(), control.frontier(product)) {
        (Some(saved), Some(frontier)) => {
            let is_current = |state: &StateId| saved.level.states.contains(*state);
            let (current, next): (Vec<_>, Vec<_>) = frontier.into_iter().partition(is_current);
            let numbers = |states: Vec<StateId>| states.into_iter().map(|state| state.0).collect();
            (vec![Vec::new(); saved.level.number as usize], numbers(current), numbers(next))
        }
        _ => (Vec::new(), first, Vec::new()),
    };
    let inner = Inner {
        before,
        current: current.into(),
        next,
        members: 0,
        done: 0,
        shortest: faults.shortest(),
        is_over: false,
    };
    let levels = Levels { inner: Mutex::new(inner), changed: Condvar::new(), taken: AtomicUsize::new(0) };
    let work = |_: usize, team: &Team, view: &mut P, control: &mut Control<'_>, log: &mut FaultLog| {
        search(view, control, options, team, &levels, log)
    };
    let (logs, ended) = together(product, control, workers, work, FaultLog::default);
    for log in logs {
        faults.merge(log);
    }
    let inner = levels.inner.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut lists = inner.before;
    lists.push(inner.current.to_vec());
    let bytes = lists.iter().map(|list| list.capacity() * 4).sum();
    if control.resumed().is_some() {
        let ended = find_ways_again(product, control, &mut faults).and(ended);
        return conclude(product, control, bytes, faults, ended.map(|()| None));
    }
    let mut lost = None;
    faults.complete_with_steps(|state, level| match path_to(product, &lists, state, level as usize) {
        Ok(path) => path,
        Err(halt) => {
            lost = Some(halt);
            vec![state]
        }
    });
    match lost {
        Some(halt) => conclude(product, control, bytes, FaultLog::default(), Err(halt)),
        None => conclude(product, control, bytes, faults, ended.map(|()| None)),
    }
}

fn search<P: Shared>(
    view: &mut P,
    control: &mut Control<'_>,
    options: ReachOptions,
    team: &Team,
    levels: &Levels,
    faults: &mut FaultLog,
) -> Result<(), Halt> {
    let mut out = Expansion::new();
    // Who begins in the middle of a level takes part in the rest of it.
    let mut level = {
        let mut inner = levels.lock();
        if inner.is_over {
            return Ok(());
        }
        inner.members += 1;
        inner.before.len() as u64
    };
    loop {
        let current = levels.lock().current.clone();
        let mut discovered = Vec::new();
        let mut shortest: Option<u64> = None;
        loop {
            let begin = levels.taken.fetch_add(PORTION, Ordering::Relaxed);
            if begin >= current.len() || shortest == Some(level) && options.faults != FaultPolicy::CountAll {
                break;
            }
            for &state in &current[begin..(begin + PORTION).min(current.len())] {
                control.pause(view, &Standing { levels, faults });
                let bytes = discovered.capacity() * 4;
                control.expand(view, StateId(state), &mut out, level as usize + 1, || bytes)?;
                collect_faults(&mut out, options);
                for &fault in &out.faults {
                    let steps = level + u64::from(fault.edge.is_some());
                    faults.record(fault, steps, || vec![StateId(state)]);
                    shortest = Some(shortest.map_or(steps, |known| known.min(steps)));
                }
                discovered.extend(out.edges.iter().filter(|edge| edge.is_new).map(|edge| edge.target.0));
            }
        }
        drop(current);
        level += 1;
        let standing = Standing { levels, faults };
        if is_last_level(view, control, options, team, &standing, (discovered, shortest, level))? {
            return Ok(());
        }
    }
}

/// A worker that stands still.
struct Standing<'s> {
    levels: &'s Levels,
    faults: &'s FaultLog,
}

impl Pausing for Standing<'_> {
    fn part(&self) -> Part {
        self.faults.part()
    }

    fn whole<'w>(&'w self, parts: &'w [Part]) -> Whole<'w> {
        let inner = self.levels.lock();
        let mut states = Bits::new();
        inner.current.iter().for_each(|&state| states.insert(StateId(state)));
        let level = SavedLevel { number: inner.before.len() as u64, states };
        Whole { level, ..self.faults.whole(parts) }
    }
}

/// Waits until all are done with a level; the last one of them makes the next one. Says whether there is none.
fn is_last_level<P: Product>(
    view: &mut P,
    control: &mut Control<'_>,
    options: ReachOptions,
    team: &Team,
    standing: &Standing<'_>,
    (discovered, shortest, level): (Vec<u32>, Option<u64>, u64),
) -> Result<bool, Halt> {
    let levels = standing.levels;
    let mut inner = levels.lock();
    inner.next.extend(discovered);
    inner.shortest = [inner.shortest, shortest].into_iter().flatten().min();
    inner.done += 1;
    if inner.done == inner.members {
        inner.done = 0;
        let next = std::mem::take(&mut inner.next);
        let found = inner.shortest.is_some() && options.faults != FaultPolicy::CountAll;
        if next.is_empty() || found {
            inner.is_over = true;
        } else {
            let current = std::mem::replace(&mut inner.current, next.into());
            let list = std::sync::Arc::try_unwrap(current).unwrap_or_else(|shared| shared.to_vec());
            inner.before.push(list);
        }
        levels.taken.store(0, Ordering::Relaxed);
        levels.changed.notify_all();
    }
    while !inner.is_over && (inner.before.len() as u64) < level {
        if team.is_over() {
            return Ok(true);
        }
        drop(levels.changed.wait_timeout(inner, PAUSE).unwrap_or_else(PoisonError::into_inner));
        control.pause(view, standing);
        control.wait(view)?;
        inner = levels.lock();
    }
    Ok(inner.is_over)
}

/// The states of a shortest path to a state of a level.
fn path_to<P: Product>(
    product: &mut P,
    levels: &[Vec<u32>],
    state: StateId,
    level: usize,
) -> Result<Vec<StateId>, Halt> {
    let mut path = vec![state];
    let mut out = Expansion::new();
    let mut last = state;
    for list in levels[..level].iter().rev() {
        let mut before = None;
        for &candidate in list {
            product.expand(StateId(candidate), &mut out)?;
            if out.edges.iter().any(|edge| edge.target == last) {
                before = Some(StateId(candidate));
                break;
            }
        }
        let lost =
            || Halt(Reason::Internal("a state of a level has no predecessor in the level before".to_owned()));
        last = before.ok_or_else(lost)?;
        path.push(last);
    }
    path.reverse();
    Ok(path)
}
