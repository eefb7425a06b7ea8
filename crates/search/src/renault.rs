//! Strongly connected components by several workers who share what they find out (Renault, Duret-Lutz, Kordon, Poitrenaud,
//! TACAS 2015).
//!
//! Each worker runs a search for components of its own ([`crate::set_based_scc`]), in an order of its own. Shared are the
//! unions, the marks inside of components, and which components are dead: a worker that has left one has explored it and
//! all behind it, so nobody needs to enter it again. Nobody waits. Work inside of one live component is not shared: where
//! everything is one component, workers do the same.
//!
//! Generalised acceptance is taken as it is: as soon as the marks that all workers together know inside of a component cover
//! all, it is reported. Sixteen bytes per state, eight more for several acceptance sets, and what each worker has on its
//! path and in the components there.

use rustc_hash::FxHashMap;
use store::SharedSets;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::order;
use crate::outcome::Outcome;
use crate::pause::Final;
use crate::product::{Edge, Expansion, Halt, Marks, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

/// Looks for an accepting strongly connected component.
pub(crate) fn renault<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let workers = workers.min(SharedSets::MOST_WORKERS);
    let sets = SharedSets::new(product.acceptance_sets());
    search(product, policy, control, workers, &Common { sets })
}

/// What all workers share.
struct Common {
    sets: SharedSets,
}

impl SharedSearch for Common {
    fn put_final(&self, state: StateId) -> Result<(), Halt> {
        Ok(self.sets.put_dead(state)?)
    }

    fn work<P: Shared>(
        &self,
        place: Place<'_>,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<Found>, Halt> {
        let mut worker = Worker {
            place,
            sets: &self.sets,
            out: Expansion::new(),
            order: FxHashMap::default(),
            live: Vec::new(),
            roots: Vec::new(),
            frames: Vec::new(),
            waiting: Vec::new(),
        };
        let component = worker.search(view, control, faults)?;
        Ok(component
            .map(|component| Found { stack: worker.path(), inside: [component].into_iter().collect() }))
    }

    fn is_expanded(&self, state: StateId) -> bool {
        self.sets.is_claimed(state)
    }

    fn is_inside(&self, found: &Found, state: StateId) -> bool {
        found.inside.iter().any(|inside| self.sets.is_same(state, *inside) == Ok(true))
    }

    fn memory_bytes(&self) -> usize {
        self.sets.memory_bytes()
    }
}

/// A partial component on the worker's path.
struct Root {
    state: StateId,
    /// When the worker came to its first state.
    order: u32,
    /// The marks of the edge by which it did.
    entry: Marks,
}

struct Frame {
    state: StateId,
    order: u32,
    /// Where its edges begin among those that wait.
    waiting: usize,
}

struct Worker<'s> {
    place: Place<'s>,
    sets: &'s SharedSets,
    out: Expansion,
    /// When the worker came to the states whose components it has not left.
    order: FxHashMap<StateId, u32>,
    /// The same states, in that order.
    live: Vec<StateId>,
    roots: Vec<Root>,
    frames: Vec<Frame>,
    waiting: Vec<Edge>,
}

impl Worker<'_> {
    /// The states on the path.
    fn path(&self) -> Vec<StateId> {
        self.frames.iter().map(|frame| frame.state).collect()
    }

    fn memory_bytes(&self) -> usize {
        self.order.capacity() * 9
            + self.live.capacity() * size_of::<StateId>()
            + self.roots.capacity() * size_of::<Root>()
            + self.frames.capacity() * size_of::<Frame>()
            + self.waiting.capacity() * size_of::<Edge>()
    }

    /// A state of an accepting component, if there is one.
    fn search<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<StateId>, Halt> {
        for state in self.place.initial_in_order() {
            if self.sets.is_dead(state)? {
                continue;
            }
            self.enter(view, control, (state, Marks::NONE), faults)?;
            while let Some(frame) = self.frames.last() {
                control.pause(view, &Final(|state| self.sets.is_dead(state) == Ok(true)));
                if self.place.has_enough(faults) {
                    return Ok(None);
                }
                if self.waiting.len() > frame.waiting
                    && let Some(edge) = self.waiting.pop()
                {
                    if let Some(&order) = self.order.get(&edge.target) {
                        if self.close(order, edge.marks)? {
                            return Ok(Some(edge.target));
                        }
                    } else if !self.sets.is_dead(edge.target)? {
                        self.enter(view, control, (edge.target, edge.marks), faults)?;
                    }
                    continue;
                }
                self.leave()?;
            }
        }
        Ok(None)
    }

    fn enter<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        (state, entry): (StateId, Marks),
        faults: &mut FaultLog,
    ) -> Result<(), Halt> {
        let order = self.live.len() as u32;
        self.order.insert(state, order);
        self.live.push(state);
        self.roots.push(Root { state, order, entry });
        self.frames.push(Frame { state, order, waiting: self.waiting.len() });
        let is_first = self.sets.claim_state(state)?;
        let bytes = self.memory_bytes();
        if is_first {
            control.expand(view, state, &mut self.out, self.frames.len(), || bytes)?;
            faults.record_along(&self.out.faults, self.place.policy, self.frames.len(), || self.path());
        } else {
            control.expand_again(view, state, &mut self.out)?;
        }
        order::put_waiting(&mut self.waiting, self.place.number, state, &self.out.edges);
        Ok(())
    }

    /// Collapses the components from the top down to the one that holds the state of this order; says whether the result is
    /// accepting.
    fn close(&mut self, order: u32, mut marks: Marks) -> Result<bool, Halt> {
        while let Some(upper) = self.roots.pop_if(|root| root.order > order) {
            marks = marks.union(upper.entry);
            if let Some(lower) = self.roots.last() {
                self.sets.unite(upper.state, lower.state)?;
            }
        }
        let Some(root) = self.roots.last() else { return Ok(false) };
        Ok(Marks(self.sets.add_marks(root.state, marks.0)?).covers(self.place.required))
    }

    /// Leaves the top state, and with it the component of which it is the root.
    fn leave(&mut self) -> Result<(), Halt> {
        let Some(frame) = self.frames.pop() else { return Ok(()) };
        if self.roots.pop_if(|root| root.order == frame.order).is_some() {
            self.sets.finish(frame.state)?;
            for state in self.live.drain(frame.order as usize..) {
                self.order.remove(&state);
            }
        }
        Ok(())
    }
}
