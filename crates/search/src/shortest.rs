//! A shortest accepting lasso: no stem is shorter, and from where it ends no accepting cycle is.
//!
//! Three passes over the whole product: breadth first for distances; depth first for the strongly connected components
//! (Tarjan 1972), of which those are kept whose inner edges bear all marks; and breadth first within a component, over
//! states together with the marks seen since the start, for the cycle. Each state of an accepting component lies on an
//! accepting cycle, so the nearest such state ends the stem. With many acceptance sets, as weak fairness needs them, the
//! cycle is found greedily and is short, not always shortest.
//!
//! Only lassos that a search has shown to exist are looked for: no verdict depends on this.

use rustc_hash::FxHashSet;
use store::ChunkedVec;
use verdict::Reason;

use crate::control::Control;
use crate::lasso::short_cycle;
use crate::limits;
use crate::path::{Lasso, Step, along};
use crate::product::{Expansion, Halt, Marks, Product, StateId};

const NONE: u32 = u32::MAX;

/// Finds a shortest accepting lasso. An error is a limit that was reached, or that there is none.
pub fn shortest_lasso<P: Product>(product: &mut P, control: &mut Control<'_>) -> Result<Lasso, Halt> {
    let distances = Distances::explore(product, control)?;
    let components = AcceptingComponents::find(product, control, &distances)?;
    let beginnings = distances.nearest(|state| components.contains(state));
    let required = Marks::all(product.acceptance_sets());
    let mut best: Option<(StateId, Vec<Step>)> = None;
    for state in beginnings.into_iter().take(limits::SHORTEST_BEGINNINGS) {
        let bound = best.as_ref().map_or(usize::MAX, |(_, cycle)| cycle.len());
        let component = components.of(state);
        let mut is_inside = |other: StateId| components.of(other) == component;
        let cycle = if product.acceptance_sets() <= limits::SHORTEST_SETS {
            shortest_cycle(product, control, state, &is_inside, required, bound)?
        } else {
            Some(short_cycle(product, state, &mut is_inside, required)?).filter(|cycle| cycle.len() < bound)
        };
        if let Some(cycle) = cycle {
            best = Some((state, cycle));
        }
    }
    let (state, cycle) = best.ok_or_else(none)?;
    let stem = along(product, &distances.path_to(state), None)?;
    Ok(Lasso { stem, cycle })
}

fn none() -> Halt {
    Halt(Reason::Internal("there is no accepting lasso".to_owned()))
}

/// All states in the order of their distance from the initial ones.
struct Distances {
    order: Vec<u32>,
    /// Where in the order the states of each distance begin.
    levels: Vec<usize>,
    /// From where a state was reached first; initial states from themselves.
    predecessor: ChunkedVec<u32>,
}

impl Distances {
    fn explore<P: Product>(product: &mut P, control: &mut Control<'_>) -> Result<Distances, Halt> {
        let mut found = Distances { order: Vec::new(), levels: vec![0], predecessor: ChunkedVec::new() };
        let initial = product.initial()?;
        found.predecessor.extend_to(product.bound(), NONE)?;
        for state in initial {
            found.reach(state, state);
        }
        let mut out = Expansion::new();
        let mut next = 0;
        let mut level_end = found.order.len();
        while next < found.order.len() {
            if next == level_end {
                found.levels.push(next);
                level_end = found.order.len();
            }
            let state = StateId(found.order[next]);
            next += 1;
            control.expand_again(product, state, &mut out)?;
            found.predecessor.extend_to(product.bound(), NONE)?;
            for edge in &out.edges {
                found.reach(edge.target, state);
            }
        }
        Ok(found)
    }

    fn reach(&mut self, state: StateId, from: StateId) {
        if self.predecessor.get(state.index()) == NONE {
            self.predecessor.set(state.index(), from.0);
            self.order.push(state.0);
        }
    }

    /// The states of a kind that are nearest, all at the same distance.
    fn nearest(&self, is_wanted: impl Fn(StateId) -> bool) -> Vec<StateId> {
        let Some(first) = self.order.iter().position(|state| is_wanted(StateId(*state))) else {
            return Vec::new();
        };
        let end = self.levels.iter().copied().find(|start| *start > first).unwrap_or(self.order.len());
        let level = self.order[first..end].iter().map(|state| StateId(*state));
        level.filter(|state| is_wanted(*state)).collect()
    }

    fn path_to(&self, state: StateId) -> Vec<StateId> {
        let mut path = vec![state];
        let mut last = state;
        while self.predecessor.get(last.index()) != last.0 {
            last = StateId(self.predecessor.get(last.index()));
            path.push(last);
        }
        path.reverse();
        path
    }
}

/// To which accepting component a state belongs, if to any.
struct AcceptingComponents {
    number: ChunkedVec<u32>,
}

/// A state on the way of the depth-first search.
struct Frame {
    state: u32,
    /// The smallest number that can be reached from here among the open states.
    low: u32,
    /// Where its targets begin among those that wait.
    pending: usize,
}

impl AcceptingComponents {
    fn of(&self, state: StateId) -> u32 {
        self.number.get(state.index())
    }

    fn contains(&self, state: StateId) -> bool {
        self.of(state) != NONE
    }

    fn find<P: Product>(
        product: &mut P,
        control: &mut Control<'_>,
        distances: &Distances,
    ) -> Result<AcceptingComponents, Halt> {
        let mut number = ChunkedVec::<u32>::new();
        number.extend_to(product.bound(), NONE)?;
        let mut visited = ChunkedVec::<u32>::new();
        visited.extend_to(product.bound(), NONE)?;
        let mut is_open = ChunkedVec::<bool>::new();
        is_open.extend_to(product.bound(), false)?;
        let mut out = Expansion::new();
        let (mut frames, mut pending, mut open) = (Vec::<Frame>::new(), Vec::<u32>::new(), Vec::<u32>::new());
        let mut next_number = 0;
        for root in &distances.order {
            let mut entered = (visited.get(*root as usize) == NONE).then_some(*root);
            loop {
                if let Some(state) = entered.take() {
                    visited.set(state as usize, next_number);
                    is_open.set(state as usize, true);
                    open.push(state);
                    frames.push(Frame { state, low: next_number, pending: pending.len() });
                    next_number += 1;
                    control.expand_again(product, StateId(state), &mut out)?;
                    pending.extend(out.edges.iter().map(|edge| edge.target.0));
                }
                let Some(frame) = frames.last_mut() else { break };
                if pending.len() > frame.pending {
                    let target = pending.pop().unwrap_or(frame.state) as usize;
                    if visited.get(target) == NONE {
                        entered = Some(target as u32);
                    } else if is_open.get(target) {
                        frame.low = frame.low.min(visited.get(target));
                    }
                    continue;
                }
                let Frame { state, low, .. } = *frame;
                frames.pop();
                if let Some(caller) = frames.last_mut() {
                    caller.low = caller.low.min(low);
                }
                if low == visited.get(state as usize) {
                    let begin = open.iter().rposition(|other| *other == state).unwrap_or(0);
                    let component = open.split_off(begin);
                    for member in &component {
                        is_open.set(*member as usize, false);
                        number.set(*member as usize, low);
                    }
                    if !is_accepting(product, control, &component, low, &number)? {
                        for member in &component {
                            number.set(*member as usize, NONE);
                        }
                    }
                }
            }
        }
        Ok(AcceptingComponents { number })
    }
}

/// Whether the edges inside of a component bear all marks, and there is one.
fn is_accepting<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    component: &[u32],
    its_number: u32,
    number: &ChunkedVec<u32>,
) -> Result<bool, Halt> {
    let required = Marks::all(product.acceptance_sets());
    let mut out = Expansion::new();
    let (mut marks, mut has_edge) = (Marks::NONE, false);
    for state in component {
        control.expand_again(product, StateId(*state), &mut out)?;
        for edge in out.edges.iter().filter(|edge| number.get(edge.target.index()) == its_number) {
            has_edge = true;
            marks = marks.union(edge.marks);
        }
        if has_edge && marks.covers(required) {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The shortest way from a state back to it with all marks, if it is shorter than the bound.
fn shortest_cycle<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    home: StateId,
    is_inside: &impl Fn(StateId) -> bool,
    required: Marks,
    bound: usize,
) -> Result<Option<Vec<Step>>, Halt> {
    /// A state with the marks on the way to it, by which step it was reached and from which place.
    struct Place {
        state: StateId,
        marks: Marks,
        arrival: Option<(usize, Step)>,
        length: usize,
    }
    let mut places = vec![Place { state: home, marks: Marks::NONE, arrival: None, length: 0 }];
    let mut known: FxHashSet<(StateId, Marks)> = FxHashSet::default();
    let mut out = Expansion::new();
    let mut next = 0;
    while next < places.len() {
        let Place { state, marks, length, .. } = places[next];
        if length + 1 >= bound {
            return Ok(None);
        }
        control.expand_again(product, state, &mut out)?;
        for (number, edge) in out.edges.iter().enumerate() {
            if !is_inside(edge.target) {
                continue;
            }
            let step = Step { source: state, edge: number as u32, target: edge.target, marks: edge.marks };
            let marks = marks.union(edge.marks);
            if edge.target == home && marks.covers(required) {
                let mut cycle = vec![step];
                let mut at = next;
                while let Some((before, step)) = places[at].arrival {
                    cycle.push(step);
                    at = before;
                }
                cycle.reverse();
                return Ok(Some(cycle));
            }
            if known.insert((edge.target, marks)) {
                let (arrival, length) = (Some((next, step)), length + 1);
                places.push(Place { state: edge.target, marks, arrival, length });
            }
        }
        next += 1;
    }
    Err(none())
}
