//! What the searches for accepting runs by several workers have in common: how they begin, what ends them, and what becomes of
//! what the workers have found.
//!
//! A search is a [`SharedSearch`]: what its workers share, and what one of them does. The first worker that comes upon an
//! accepting run ends the search for all, and so does a fault where one is enough. A worker that comes to its end with
//! neither stops alone: another one may be about to find a cycle through what this one did not need to enter.

use std::sync::PoisonError;

use rustc_hash::FxHashSet;
use store::sync::{Mutex, lock};

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::{short_lasso, short_lasso_around, shortest_stem};
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::product::{Halt, Marks, Product, Shared, StateId};
use crate::team::{Team, together};

/// What the workers of a search share, and what one of them does.
pub(crate) trait SharedSearch: Sync {
    /// Whether a worker tells the way to a fault; otherwise it tells the state alone, and the way is looked for afterwards.
    const TELLS_WAYS: bool = true;

    /// Whether the states inside of what was found are strongly connected by the edges between them; otherwise they are a part
    /// of an accepting component.
    const IS_CONNECTED: bool = true;

    /// Refuses a product that the search is not made for.
    fn check<P: Product>(&self, _product: &P) -> Result<(), Halt> {
        Ok(())
    }

    /// A state that need not be searched: the search was taken up, and has left it before.
    fn put_final(&self, state: StateId) -> Result<(), Halt>;

    /// What one worker does, from the beginning to the end.
    fn work<P: Shared>(
        &self,
        place: Place<'_>,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Found>, Halt>;

    /// Whether some worker has been in a state.
    fn is_expanded(&self, state: StateId) -> bool;

    /// Whether a state is one of those that were found: of an accepting cycle or component.
    fn is_inside(&self, found: &Found, state: StateId) -> bool {
        found.inside.contains(&state)
    }

    /// What the workers share takes so many bytes.
    fn memory_bytes(&self) -> usize;
}

/// Who a worker is, and what it is there for.
#[derive(Clone, Copy)]
pub(crate) struct Place<'s> {
    pub(crate) number: usize,
    pub(crate) team: &'s Team,
    pub(crate) policy: FaultPolicy,
    /// The marks of an accepting cycle.
    pub(crate) required: Marks,
    pub(crate) initial: &'s [StateId],
}

impl<'s> Place<'s> {
    /// The initial states, in this worker's order.
    pub(crate) fn initial_in_order(self) -> impl Iterator<Item = StateId> + 's {
        let (before, after) = self.initial.split_at(self.number % self.initial.len().max(1));
        after.iter().chain(before).copied()
    }

    /// Whether a worker that has met these faults is done.
    #[inline]
    pub(crate) fn has_enough(self, faults: &FaultLog) -> bool {
        self.policy == FaultPolicy::StopAtFirst && !faults.is_empty()
    }
}

/// What a worker that comes upon an accepting run knows of it.
pub(crate) struct Found {
    /// The way by which it came there; empty where it knows none.
    pub(crate) stack: Vec<StateId>,
    /// States of an accepting cycle or component, at least one.
    pub(crate) inside: FxHashSet<StateId>,
}

/// Has a search done by so many workers.
pub(crate) fn search<P: Shared, S: SharedSearch>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
    search: &S,
) -> Outcome {
    let mut faults = FaultLog::default();
    let ended = run(product, policy, control, workers, search, &mut faults);
    conclude(product, control, search.memory_bytes(), faults, ended)
}

fn run<P: Shared, S: SharedSearch>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
    search: &S,
    faults: &mut FaultLog,
) -> Result<Option<Lasso>, Halt> {
    search.check(product)?;
    let initial = control.start(product)?;
    control.finals().try_for_each(|state| search.put_final(state))?;
    let required = Marks::all(product.acceptance_sets());
    let first: Mutex<Option<Found>> = Mutex::new(None);
    let work = |number: usize, team: &Team, view: &mut P, control: &mut Control<'_>, log: &mut FaultLog| {
        let place = Place { number, team, policy, required, initial: &initial };
        if let Some(found) = search.work(place, view, control, log)? {
            lock(&first).get_or_insert(found);
            team.finish();
        } else if place.has_enough(log) {
            team.finish();
        }
        Ok(())
    };
    let (logs, ended) = together(product, control, workers, work, FaultLog::default);
    logs.into_iter().for_each(|log| faults.merge(log));
    if !S::TELLS_WAYS {
        faults.find_ways(|state| {
            let mut is_expanded = |other| search.is_expanded(other);
            shortest_stem(product, control, &mut is_expanded, &mut |other| other == state)
        })?;
    }
    match first.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(found) => lasso(product, control, search, &found, required).map(Some),
        None => ended.map(|()| None),
    }
}

/// The accepting run that a worker has come upon.
fn lasso<P: Product, S: SharedSearch>(
    product: &mut P,
    control: &mut Control<'_>,
    search: &S,
    found: &Found,
    required: Marks,
) -> Result<Lasso, Halt> {
    let is_expanded = |state| search.is_expanded(state);
    let is_inside = |state| search.is_inside(found, state);
    match found.inside.iter().next() {
        Some(&home) if !S::IS_CONNECTED => {
            short_lasso_around(product, control, home, is_expanded, is_inside, required)
        }
        _ => short_lasso(product, control, &found.stack, is_expanded, is_inside, required),
    }
}
