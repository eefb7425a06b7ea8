//! Swarmed nested search: several workers run the same search, each in an order of its own.
//!
//! Every worker is a whole nested depth-first search ([`crate::ndfs`]) with colours and stacks of its own; only the states are
//! stored once. Whoever ends first, with a cycle or without, has the answer for all (Holzmann, Joshi, Groce, ASE 2008;
//! Evangelista, Petrucci, Youcef, ATVA 2011 is where the sharing of colours begins). A cycle that one order comes by late
//! another may come by early. Where there is none, nothing is gained.

use store::SharedColours;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::ndfs::{self, Search};
use crate::outcome::Outcome;
use crate::product::{Halt, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

/// Looks for an accepting cycle of a product with at most one acceptance set.
pub(crate) fn swarm<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    search(product, policy, control, workers, &Common { counted: SharedColours::new() })
}

/// What all workers share.
struct Common {
    /// Whose edges were counted by one of them.
    counted: SharedColours,
}

impl SharedSearch for Common {
    fn check<P: Product>(&self, product: &P) -> Result<(), Halt> {
        ndfs::check_acceptance(product)
    }

    /// Each worker has colours of its own, and paints these states itself.
    fn put_final(&self, _state: StateId) -> Result<(), Halt> {
        Ok(())
    }

    fn work<P: Shared>(
        &self,
        place: Place<'_>,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Found>, Halt> {
        let mut search = Search::new(view, place.policy).of_swarm(place.number, &self.counted);
        let ended = search.search(view, control);
        let stack = search.path();
        faults.merge(search.faults);
        match ended? {
            Some(cycle) => Ok(Some(Found { stack, inside: cycle.into_iter().collect() })),
            None => {
                // Nobody else has anything to find.
                place.team.finish();
                Ok(None)
            }
        }
    }

    fn is_expanded(&self, state: StateId) -> bool {
        self.counted.get(state) != 0
    }

    fn memory_bytes(&self) -> usize {
        self.counted.memory_bytes()
    }
}
