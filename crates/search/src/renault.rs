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

use std::sync::PoisonError;

use rustc_hash::FxHashMap;
use store::SharedSets;
use store::sync::{Mutex, lock};

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::short_lasso;
use crate::order;
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::pause::Final;
use crate::product::{Edge, Expansion, Halt, Marks, Product, Shared, StateId};
use crate::team::{Team, together};

/// Looks for an accepting strongly connected component.
pub(crate) fn renault<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
) -> Outcome {
    let sets = SharedSets::new(product.acceptance_sets());
    let mut faults = FaultLog::default();
    let ended = run(product, policy, control, workers.min(SharedSets::MOST_WORKERS), &sets, &mut faults);
    conclude(product, control, sets.memory_bytes(), faults, ended)
}

fn run<P: Shared>(
    product: &mut P,
    policy: FaultPolicy,
    control: &mut Control<'_>,
    workers: usize,
    sets: &SharedSets,
    faults: &mut FaultLog,
) -> Result<Option<Lasso>, Halt> {
    let initial = control.start(product)?;
    control.finals().try_for_each(|state| sets.put_dead(state))?;
    let required = Marks::all(product.acceptance_sets());
    let found: Mutex<Option<(StateId, Vec<StateId>)>> = Mutex::new(None);
    let work = |number: usize, team: &Team, view: &mut P, control: &mut Control<'_>, log: &mut FaultLog| {
        let mut worker = Worker {
            number,
            sets,
            required,
            policy,
            out: Expansion::new(),
            order: FxHashMap::default(),
            live: Vec::new(),
            roots: Vec::new(),
            frames: Vec::new(),
            waiting: Vec::new(),
        };
        let component = worker.search(view, control, &initial, log)?;
        if let Some(component) = component {
            let path = worker.frames.iter().map(|frame| frame.state).collect();
            lock(&found).get_or_insert((component, path));
            team.finish();
        } else if policy == FaultPolicy::StopAtFirst && !log.is_empty() {
            team.finish();
        }
        Ok(())
    };
    let (logs, ended) = together(product, control, workers, work, FaultLog::default);
    logs.into_iter().for_each(|log| faults.merge(log));
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some((component, path)) => {
            let is_inside = |state| sets.is_same(state, component).unwrap_or(false);
            let is_expanded = |state| sets.is_claimed(state);
            short_lasso(product, control, &path, is_expanded, is_inside, required).map(Some)
        }
        None => ended.map(|()| None),
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
    number: usize,
    sets: &'s SharedSets,
    required: Marks,
    policy: FaultPolicy,
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
        initial: &[StateId],
        faults: &mut FaultLog,
    ) -> Result<Option<StateId>, Halt> {
        let begin = self.number % initial.len().max(1);
        for &state in initial[begin..].iter().chain(&initial[..begin]) {
            if self.sets.is_dead(state)? {
                continue;
            }
            self.enter(view, control, (state, Marks::NONE), faults)?;
            while let Some(frame) = self.frames.last() {
                control.pause(view, &Final(|state| self.sets.is_dead(state) == Ok(true)));
                if self.policy == FaultPolicy::StopAtFirst && !faults.is_empty() {
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
            if self.policy != FaultPolicy::Ignore {
                for &fault in &self.out.faults {
                    let steps = self.frames.len() as u64 - 1 + u64::from(fault.edge.is_some());
                    faults.record(fault, steps, || self.frames.iter().map(|frame| frame.state).collect());
                }
            }
        } else {
            control.expand_again(view, state, &mut self.out)?;
        }
        let edges = &self.out.edges;
        // Workers take the edges in different orders, so that they seldom do the same.
        let offset = order::offset(self.number, state, edges.len());
        self.waiting.extend(edges[..offset].iter().rev());
        self.waiting.extend(edges[offset..].iter().rev());
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
        Ok(Marks(self.sets.add_marks(root.state, marks.0)?).covers(self.required))
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
