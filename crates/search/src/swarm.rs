//! Swarmed nested search: several workers run the same search, each in an order of its own.
//!
//! Every worker is a whole nested depth-first search ([`crate::ndfs`]) with colours and stacks of its own; only the states are
//! stored once. Whoever ends first, with a cycle or without, has the answer for all (Holzmann, Joshi, Groce, ASE 2008;
//! Evangelista, Petrucci, Youcef, ATVA 2011 is where the sharing of colours begins). A cycle that one order comes by late
//! another may come by early. Where there is none, nothing is gained.

use std::sync::PoisonError;

use store::SharedColours;
use store::sync::{Mutex, lock};

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::short_lasso;
use crate::ndfs::{self, Cycle, Search};
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::product::{Halt, Shared, StateId};
use crate::team::{Team, together};

/// The states of an accepting cycle, and the way by which a worker came to it.
struct Found {
    stack: Vec<StateId>,
    cycle: Cycle,
}

/// Looks for an accepting cycle of a product with at most one acceptance set.
pub(crate) fn swarm<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let counted = SharedColours::new();
    let mut faults = FaultLog::default();
    let ended = run(product, policy, control, workers, &counted, &mut faults);
    conclude(product, control, counted.memory_bytes(), faults, ended)
}

fn run<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
    counted: &SharedColours,
    faults: &mut FaultLog,
) -> Result<Option<Lasso>, Halt> {
    ndfs::check_acceptance(product)?;
    control.start(product)?;
    let found: Mutex<Option<Found>> = Mutex::new(None);
    let work = |number: usize, team: &Team, view: &mut P, control: &mut Control<'_>, log: &mut FaultLog| {
        let mut search = Search::new(view, policy).of_swarm(number, counted);
        let ended = search.search(view, control);
        let stack = search.path();
        log.merge(search.faults);
        if let Some(cycle) = ended? {
            lock(&found).get_or_insert(Found { stack, cycle });
        }
        team.finish();
        Ok(())
    };
    let (logs, ended) = together(product, control, workers, work, FaultLog::default);
    logs.into_iter().for_each(|log| faults.merge(log));
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(Found { stack, mut cycle }) => {
            cycle.sort_unstable();
            let is_expanded = |state| counted.get(state) != 0;
            let is_inside = |state| cycle.binary_search(&state).is_ok();
            let required = crate::product::Marks::all(product.acceptance_sets());
            short_lasso(product, control, &stack, is_expanded, is_inside, required).map(Some)
        }
        None => ended.map(|()| None),
    }
}
