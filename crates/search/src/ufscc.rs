//! Strongly connected components by several workers who share the work inside of them (UFSCC: Bloemen, Laarman, van de Pol,
//! PPoPP 2016; with acceptance: Bloemen, van de Pol, HVC 2016).
//!
//! Each worker searches depth first and keeps a stack `R` of the partial components on its path. All share the components
//! ([`SharedSets`]): which workers are inside, which states are not fully explored, which marks lie on edges inside. A worker
//! explores any state of the component on top of its `R` that is left, so its stack is no path. An edge to a component that
//! the worker is in unites those from the top of `R` down to it; the marks of the edges by which they were entered come
//! inside, and never that of an edge between two components. A component of which nothing is left is dead for all.
//!
//! Only the lowest call of those that a worker has united picks further states. The calls above it end with the state that they
//! were made for: what is left of the component are mostly states of the calls in between, and they have their edges at hand,
//! where picking one would expand it a second time.
//!
//! What is united belongs to one component, but is not always strongly connected by its own edges: a worker that unites its
//! way from the top down stops where others have united the rest on another way, and parts in between come later. So
//! the lasso is looked for in the whole component where there is none in what is united.
//!
//! Generalised acceptance is taken as it is: a component is reported when an edge inside is found and the marks inside cover
//! all. Sixteen bytes per state, eight more for several acceptance sets.

use store::{Claim, SharedSets};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::order;
use crate::outcome::Outcome;
use crate::pause::{Part, Pausing, Whole};
use crate::product::{Edge, Expansion, Fault, Halt, Marks, Product, Shared, StateId};
use crate::shared_search::{Found, Place, SharedSearch, search};

/// Looks for an accepting strongly connected component.
pub(crate) fn ufscc<P: Shared>(
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
    const TELLS_WAYS: bool = false;

    const IS_CONNECTED: bool = false;

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
            roots: Vec::new(),
            calls: Vec::new(),
            waiting: Vec::new(),
        };
        let component = worker.search(view, control, faults)?;
        Ok(component.map(|component| Found { stack: Vec::new(), inside: [component].into_iter().collect() }))
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

/// An entry of `R`: a partial component, and the marks of the edge by which the worker came to it.
struct Root {
    state: StateId,
    entry: Marks,
}

/// A component that the worker has entered and not left.
struct Call {
    state: StateId,
    /// The state that is being explored; none: one is to be picked.
    picked: Option<Picked>,
    /// Where the edges of that state begin among those that wait.
    waiting: usize,
}

struct Picked {
    state: StateId,
    edges: u64,
    faults: Vec<Fault>,
}

/// A component that is dead and still on the stack of a worker may turn out to be accepting: only that one knows the edges by
/// which it came there.
impl Pausing for Worker<'_> {
    fn part(&self) -> Part {
        let roots = self.roots.iter().map(|root| root.state);
        let states = roots.chain(self.calls.iter().map(|call| call.state)).collect();
        Part { states, ..Part::default() }
    }

    fn whole<'w>(&'w self, parts: &'w [Part]) -> Whole<'w> {
        let is_dead = |state: StateId| self.sets.is_dead(state) == Ok(true);
        let open = parts.iter().flat_map(|part| part.states.iter().copied());
        let open: Vec<StateId> = open.filter(|state| is_dead(*state)).collect();
        let is_open = move |state| open.iter().any(|other| self.sets.is_same(state, *other) != Ok(false));
        Whole::finals(move |state| is_dead(state) && !is_open(state))
    }
}

struct Worker<'s> {
    place: Place<'s>,
    sets: &'s SharedSets,
    out: Expansion,
    roots: Vec<Root>,
    calls: Vec<Call>,
    waiting: Vec<Edge>,
}

impl Worker<'_> {
    fn memory_bytes(&self) -> usize {
        self.roots.capacity() * size_of::<Root>()
            + self.calls.capacity() * size_of::<Call>()
            + self.waiting.capacity() * size_of::<Edge>()
    }

    fn enter(&mut self, state: StateId, entry: Marks) {
        self.roots.push(Root { state, entry });
        self.calls.push(Call { state, picked: None, waiting: self.waiting.len() });
    }

    /// A state of an accepting component, if there is one.
    fn search<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        faults: &mut FaultLog,
    ) -> Result<Option<StateId>, Halt> {
        for state in self.place.initial_in_order() {
            if self.sets.claim(state, self.place.number)? != Claim::New {
                continue;
            }
            self.enter(state, Marks::NONE);
            while !self.calls.is_empty() {
                control.pause(view, self);
                let Some(call) = self.calls.last_mut() else { break };
                let (component, first) = (call.state, call.waiting);
                let Some(picked) = &call.picked else {
                    let is_lowest = self.roots.last().is_some_and(|root| root.state == component);
                    let picked = if is_lowest { self.sets.pick(component)? } else { None };
                    match picked {
                        Some(state) => self.explore(view, control, state)?,
                        None if self.leave()? => return Ok(Some(component)),
                        None => {}
                    }
                    continue;
                };
                let state = picked.state;
                if self.waiting.len() > first
                    && let Some(edge) = self.waiting.pop()
                {
                    match self.sets.claim(edge.target, self.place.number)? {
                        Claim::Dead => {}
                        Claim::New => self.enter(edge.target, edge.marks),
                        Claim::Known => {
                            if self.close(state, edge)? {
                                return Ok(Some(state));
                            }
                        }
                    }
                    continue;
                }
                if let Some(picked) = call.picked.take()
                    && self.sets.remove(state)?
                {
                    control.count_transitions(state, picked.edges)?;
                    faults.record_at(&picked.faults, self.place.policy, state);
                    if self.place.has_enough(faults) {
                        return Ok(None);
                    }
                }
            }
        }
        Ok(None)
    }

    /// Begins to explore a state of the component on top.
    fn explore<P: Product>(
        &mut self,
        view: &mut P,
        control: &mut Control<'_>,
        state: StateId,
    ) -> Result<(), Halt> {
        let bytes = self.memory_bytes();
        control.expand_uncounted(view, state, &mut self.out, self.calls.len(), || bytes)?;
        order::put_waiting(&mut self.waiting, self.place.number, state, &self.out.edges);
        if let Some(call) = self.calls.last_mut() {
            let faults = std::mem::take(&mut self.out.faults);
            call.picked = Some(Picked { state, edges: self.out.edges.len() as u64, faults });
        }
        Ok(())
    }

    /// The component on top is dead, or united with the one below. Says whether it turns out to be accepting: where others have
    /// united it with the one below, the edge by which this worker came from there lies inside, and only this worker may have
    /// seen it.
    fn leave(&mut self) -> Result<bool, Halt> {
        let mut is_accepting = false;
        if let Some(call) = self.calls.pop()
            && let Some(root) = self.roots.pop_if(|root| root.state == call.state)
            && let Some(lower) = self.roots.last()
            && self.sets.is_same(root.state, lower.state)?
        {
            is_accepting = Marks(self.sets.add_marks(root.state, root.entry.0)?).covers(self.place.required);
        }
        // What was being explored below may be part of what others have explored meanwhile.
        if let Some(call) = self.calls.last()
            && let Some(picked) = &call.picked
            && !self.sets.is_present(picked.state)?
        {
            self.waiting.truncate(call.waiting);
        }
        Ok(is_accepting)
    }

    /// Deals with an edge to a component that the worker is in: unites all from the top down to it. Says whether the result
    /// is accepting.
    fn close(&mut self, state: StateId, edge: Edge) -> Result<bool, Halt> {
        let mut marks = edge.marks;
        while !self.sets.is_same(state, edge.target)? {
            let Some(upper) = self.roots.pop() else { return Ok(false) };
            let Some(lower) = self.roots.last() else {
                return Err(Halt(Reason::Internal(
                    "an edge leads to a component that is not on the path".to_owned(),
                )));
            };
            marks = marks.union(upper.entry);
            self.sets.unite(upper.state, lower.state)?;
        }
        // Also where the component is dead: others may have left it without having seen this edge.
        let inside = Marks(self.sets.add_marks(state, marks.0)?);
        Ok(inside.covers(self.place.required))
    }
}
