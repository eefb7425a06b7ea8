//! Strongly connected components by several workers who share the work inside of them (UFSCC: Bloemen, Laarman, van de Pol,
//! PPoPP 2016; with acceptance: Bloemen, van de Pol, HVC 2016).
//!
//! Each worker searches depth first and keeps a stack `R` of the partial components on its path. All share the components
//! ([`SharedSets`]): which workers are inside, which states are not fully explored, which marks lie on edges inside. A worker
//! explores any state of the component on top of its `R` that is left, so its stack is no path. An edge to a component that
//! the worker is in unites those from the top of `R` down to it; the marks of the edges by which they were entered come
//! inside, and never that of an edge between two components. A component of which nothing is left is dead for all.
//!
//! What is united belongs to one component, but is not always strongly connected by its own edges: a worker that unites its
//! way from the top down stops where others have united the rest on another way, and parts in between come later. So
//! the lasso is looked for in the whole component where there is none in what is united.
//!
//! Generalised acceptance is taken as it is: a component is reported when an edge inside is found and the marks inside cover
//! all. Sixteen bytes per state, eight more for several acceptance sets.

use std::sync::PoisonError;

use store::sync::{Mutex, lock};
use store::{Claim, SharedSets};
use verdict::Reason;

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::lasso::{short_lasso_around, shortest_stem};
use crate::order;
use crate::outcome::{Outcome, conclude};
use crate::path::Lasso;
use crate::pause::{Part, Pausing, Whole};
use crate::product::{Edge, Expansion, Fault, Halt, Marks, Product, Shared, StateId};
use crate::team::{Team, together};

/// Looks for an accepting strongly connected component.
pub(crate) fn ufscc<P: Shared>(
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
    let found: Mutex<Option<StateId>> = Mutex::new(None);
    let work = |number: usize, team: &Team, view: &mut P, control: &mut Control<'_>, log: &mut FaultLog| {
        let mut worker = Worker {
            number,
            sets,
            required,
            policy,
            team,
            out: Expansion::new(),
            roots: Vec::new(),
            calls: Vec::new(),
            waiting: Vec::new(),
        };
        if let Some(component) = worker.search(view, control, &initial, log)? {
            lock(&found).get_or_insert(component);
            team.finish();
        }
        Ok(())
    };
    let (logs, ended) = together(product, control, workers, work, FaultLog::default);
    logs.into_iter().for_each(|log| faults.merge(log));
    faults.find_ways(|state| {
        let mut is_expanded = |other: StateId| sets.is_claimed(other);
        shortest_stem(product, control, &mut is_expanded, &mut |other| other == state)
    })?;
    match found.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(component) => {
            let is_inside = |state| sets.is_same(state, component).unwrap_or(false);
            let is_expanded = |state| sets.is_claimed(state);
            short_lasso_around(product, control, component, is_expanded, is_inside, required).map(Some)
        }
        None => ended.map(|()| None),
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
    number: usize,
    sets: &'s SharedSets,
    required: Marks,
    policy: FaultPolicy,
    team: &'s Team,
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
        initial: &[StateId],
        faults: &mut FaultLog,
    ) -> Result<Option<StateId>, Halt> {
        let begin = self.number % initial.len().max(1);
        for &state in initial[begin..].iter().chain(&initial[..begin]) {
            if self.sets.claim(state, self.number)? != Claim::New {
                continue;
            }
            self.enter(state, Marks::NONE);
            while !self.calls.is_empty() {
                control.pause(view, self);
                let Some(call) = self.calls.last_mut() else { break };
                let (component, first) = (call.state, call.waiting);
                let Some(picked) = &call.picked else {
                    match self.sets.pick(component)? {
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
                    match self.sets.claim(edge.target, self.number)? {
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
                    if self.policy != FaultPolicy::Ignore && !picked.faults.is_empty() {
                        for fault in picked.faults {
                            faults.record(fault, 0, || vec![state]);
                        }
                        if self.policy == FaultPolicy::StopAtFirst {
                            self.team.finish();
                            return Ok(None);
                        }
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
        let edges = &self.out.edges;
        // Workers take the edges in different orders, so that they seldom do the same.
        let offset = order::offset(self.number, state, edges.len());
        self.waiting.extend(edges[..offset].iter().rev());
        self.waiting.extend(edges[offset..].iter().rev());
        if let Some(call) = self.calls.last_mut() {
            let faults = std::mem::take(&mut self.out.faults);
            call.picked = Some(Picked { state, edges: edges.len() as u64, faults });
        }
        Ok(())
    }

    /// The component on top is dead. Says whether it turns out to be accepting: where others have united it with the one below,
    /// the edge by which this worker came from there lies inside, and only this worker may have seen it.
    fn leave(&mut self) -> Result<bool, Halt> {
        let mut is_accepting = false;
        if let Some(call) = self.calls.pop()
            && let Some(root) = self.roots.pop_if(|root| root.state == call.state)
            && let Some(lower) = self.roots.last()
            && self.sets.is_same(root.state, lower.state)?
        {
            is_accepting = Marks(self.sets.add_marks(root.state, root.entry.0)?).covers(self.required);
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
        Ok(inside.covers(self.required))
    }
}
