//! A short accepting lasso, once a search knows where one is.
//!
//! The search hands over a set of states that is strongly connected by its own edges and whose edges bear
//! all required marks: a partial component, or the states of one cycle. The stem is a shortest path to that
//! set through states that the search has expanded (so nothing new is discovered, and a path exists). The
//! cycle goes greedily to the nearest edge with a mark still missing until none is, then the shortest way
//! home; both are breadth-first searches that stay in the set. The shortest cycle with all marks is NP-hard
//! to find for several sets; with one set and the cycle's first state fixed, the result is at most twice it.

use rustc_hash::{FxHashMap, FxHashSet};
use store::ChunkedVec;
use verdict::Reason;

use crate::control::Control;
use crate::path::{Lasso, Path, Step, along, not_a_function};
use crate::product::{Edge, Expansion, Halt, Marks, Product, StateId};

/// Finds the lasso. `stack` is the path by which the search came to the set, its last state in the set; it
/// serves as the stem when a limit ends the search for a shorter one. It is empty where the search knows no such path.
pub(crate) fn short_lasso<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    stack: &[StateId],
    mut is_expanded: impl FnMut(StateId) -> bool,
    mut is_inside: impl FnMut(StateId) -> bool,
    required: Marks,
) -> Result<Lasso, Halt> {
    let stem = match shortest_stem(product, control, &mut is_expanded, &mut is_inside) {
        Ok(states) => states,
        Err(Halt(Reason::Internal(sentence))) => return Err(Halt(Reason::Internal(sentence))),
        Err(halt) if stack.is_empty() => return Err(halt),
        Err(_) => {
            let length = stack.iter().position(|&state| is_inside(state)).ok_or_else(lost)?;
            stack[..=length].to_vec()
        }
    };
    let stem = along(product, &stem, None)?;
    let cycle = short_cycle(product, stem.end(), &mut is_inside, required)?;
    Ok(Lasso { stem, cycle })
}

/// Finds the lasso where the search knows one state of an accepting component, and of the others only some, which need not be
/// strongly connected by edges between them: `is_inside`. Where no lasso lies among these, it is looked for in the whole
/// component, as far as it is expanded.
pub(crate) fn short_lasso_around<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    home: StateId,
    is_expanded: impl Fn(StateId) -> bool,
    is_inside: impl Fn(StateId) -> bool,
    required: Marks,
) -> Result<Lasso, Halt> {
    match short_lasso(product, control, &[], &is_expanded, is_inside, required) {
        Err(halt) if halt == lost() => {
            let component = component_of(product, control, home, &is_expanded)?;
            let is_inside = |state| component.contains(&state);
            short_lasso(product, control, &[], is_expanded, is_inside, required)
        }
        ended => ended,
    }
}

/// The component of a state among the expanded ones: what is open when Tarjan's search from there comes to its end.
fn component_of<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    home: StateId,
    is_expanded: impl Fn(StateId) -> bool,
) -> Result<FxHashSet<StateId>, Halt> {
    struct Frame {
        order: u32,
        /// The smallest order known to be reached from here among the open states.
        low: u32,
        waiting: usize,
    }
    const CLOSED: u32 = u32::MAX;
    let mut out = Expansion::new();
    let mut order_of: FxHashMap<StateId, u32> = FxHashMap::default();
    let (mut open, mut frames, mut waiting) = (Vec::new(), Vec::<Frame>::new(), Vec::new());
    let mut entered = Some(home);
    loop {
        if let Some(state) = entered.take() {
            let order = order_of.len() as u32;
            order_of.insert(state, order);
            open.push((order, state));
            frames.push(Frame { order, low: order, waiting: waiting.len() });
            control.expand_again(product, state, &mut out)?;
            waiting.extend(out.edges.iter().map(|edge| edge.target).filter(|&target| is_expanded(target)));
        }
        let Some(frame) = frames.last_mut() else { return Err(lost()) };
        if waiting.len() > frame.waiting
            && let Some(target) = waiting.pop()
        {
            match order_of.get(&target) {
                None => entered = Some(target),
                Some(&CLOSED) => {}
                Some(&order) => frame.low = frame.low.min(order),
            }
            continue;
        }
        let Some(frame) = frames.pop() else { return Err(lost()) };
        let Some(caller) = frames.last_mut() else {
            return Ok(open.into_iter().map(|(_, state)| state).collect());
        };
        caller.low = caller.low.min(frame.low);
        if frame.low == frame.order {
            while let Some((_, state)) = open.pop_if(|(order, _)| *order >= frame.order) {
                order_of.insert(state, CLOSED);
            }
        }
    }
}

/// The states of a shortest path from an initial state to one inside.
pub(crate) fn shortest_stem<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    is_expanded: &mut impl FnMut(StateId) -> bool,
    is_inside: &mut impl FnMut(StateId) -> bool,
) -> Result<Vec<StateId>, Halt> {
    const UNREACHED: u32 = u32::MAX;
    let mut predecessor = ChunkedVec::<u32>::new();
    predecessor.extend_to(product.bound(), UNREACHED)?;
    let mut queue = Vec::new();
    for state in product.initial()? {
        if is_inside(state) {
            return Ok(vec![state]);
        }
        if is_expanded(state) && predecessor.get(state.index()) == UNREACHED {
            predecessor.set(state.index(), state.0);
            queue.push(state);
        }
    }
    let mut out = Expansion::new();
    let mut next = 0;
    while next < queue.len() {
        let state = queue[next];
        next += 1;
        control.expand_again(product, state, &mut out)?;
        for edge in &out.edges {
            let target = edge.target;
            let is_reached =
                predecessor.len() <= target.index() || predecessor.get(target.index()) != UNREACHED;
            if is_reached || !is_expanded(target) {
                continue;
            }
            predecessor.set(target.index(), state.0);
            if is_inside(target) {
                let mut states = vec![target];
                let mut last = target;
                while predecessor.get(last.index()) != last.0 {
                    last = StateId(predecessor.get(last.index()));
                    states.push(last);
                }
                states.reverse();
                return Ok(states);
            }
            queue.push(target);
        }
    }
    Err(lost())
}

/// A cycle from `home` inside the set over all required marks.
pub(crate) fn short_cycle<P: Product>(
    product: &mut P,
    home: StateId,
    is_inside: &mut impl FnMut(StateId) -> bool,
    required: Marks,
) -> Result<Vec<Step>, Halt> {
    let mut cycle: Vec<Step> = Vec::new();
    let mut missing = required;
    let mut here = home;
    while !missing.is_empty() {
        let steps = nearest_edge(product, here, is_inside, |edge| edge.marks.meets(missing))?;
        for step in &steps {
            missing = missing.without(step.marks);
        }
        here = steps.last().map_or(here, |step| step.target);
        cycle.extend(steps);
    }
    if here != home || cycle.is_empty() {
        cycle.extend(nearest_edge(product, here, is_inside, |edge| edge.target == home)?);
    }
    Ok(cycle)
}

/// The steps from a state to and over the nearest wanted edge between two states inside.
fn nearest_edge<P: Product>(
    product: &mut P,
    from: StateId,
    is_inside: &mut impl FnMut(StateId) -> bool,
    is_wanted: impl Fn(&Edge) -> bool,
) -> Result<Vec<Step>, Halt> {
    let mut arrival: FxHashMap<StateId, Option<Step>> = FxHashMap::default();
    arrival.insert(from, None);
    let mut queue = vec![from];
    let mut out = Expansion::new();
    let mut next = 0;
    while next < queue.len() {
        let source = queue[next];
        next += 1;
        product.expand(source, &mut out)?;
        for (number, edge) in out.edges.iter().enumerate() {
            if !is_inside(edge.target) {
                continue;
            }
            let step = Step { source, edge: number as u32, target: edge.target, marks: edge.marks };
            if is_wanted(edge) {
                let mut steps = vec![step];
                let mut last = source;
                while let Some(Some(step)) = arrival.get(&last) {
                    steps.push(*step);
                    last = step.source;
                }
                steps.reverse();
                return Ok(steps);
            }
            arrival.entry(edge.target).or_insert_with(|| {
                queue.push(edge.target);
                Some(step)
            });
        }
    }
    Err(lost())
}

/// Completes a path to an accepting sink into a lasso, by taking first edges until a state comes again; none if that takes
/// more steps than `limit`.
pub(crate) fn walk_into_cycle<P: Product>(
    product: &mut P,
    control: &mut Control<'_>,
    path: Path,
    limit: usize,
) -> Result<Option<Lasso>, Halt> {
    let mut position: FxHashMap<StateId, usize> = FxHashMap::default();
    let mut steps: Vec<Step> = Vec::new();
    let mut here = path.end();
    let mut out = Expansion::new();
    loop {
        if let Some(&first) = position.get(&here) {
            let cycle = steps.split_off(first);
            let mut stem = path;
            stem.steps.extend(steps);
            return Ok(Some(Lasso { stem, cycle }));
        }
        if steps.len() >= limit {
            return Ok(None);
        }
        position.insert(here, steps.len());
        control.expand_again(product, here, &mut out)?;
        let edge = out.edges.first().ok_or_else(not_a_function)?;
        steps.push(Step { source: here, edge: 0, target: edge.target, marks: edge.marks });
        here = edge.target;
    }
}

fn lost() -> Halt {
    Halt(Reason::Internal("an accepting component has no accepting lasso".to_owned()))
}
