//! Reachability, breadth first: like the depth-first search, with shortest paths.
//!
//! States are numbered in the order of their discovery, so expanding them in the order of their numbers is
//! the breadth-first order, and the queue is two numbers. Who discovered whom is kept as one byte per state,
//! the number of states it discovered: one pass backwards over these bytes restores any path.

use crate::control::Control;
use crate::faults::{FaultLog, FaultPolicy};
use crate::outcome::{Outcome, conclude};
use crate::product::{Expansion, Halt, Product, StateId};
use crate::reach_dfs::{ReachOptions, check_discovery, collect_faults};

/// For each expanded state, in order, how many states it discovered.
#[derive(Default)]
struct Births {
    counts: Vec<u8>,
    /// The counts that no byte holds, with the states they belong to.
    large: Vec<(u32, u32)>,
    /// How many states were there without being discovered by another.
    initial: u32,
}

impl Births {
    fn push(&mut self, count: u32) {
        if count >= u32::from(u8::MAX) {
            self.large.push((self.counts.len() as u32, count));
        }
        self.counts.push(count.min(u32::from(u8::MAX)) as u8);
    }

    fn count(&self, state: u32) -> u32 {
        match self.counts[state as usize] {
            u8::MAX => match self.large.binary_search_by_key(&state, |&(number, _)| number) {
                Ok(position) => self.large[position].1,
                Err(_) => u32::from(u8::MAX),
            },
            count => u32::from(count),
        }
    }

    fn memory_bytes(&self) -> usize {
        self.counts.capacity() + self.large.capacity() * 8
    }

    /// The states from an initial one to this one, each discovered by the one before.
    fn path_to(&self, state: StateId) -> Vec<StateId> {
        let mut path = vec![state];
        let mut wanted = state.0;
        let mut parent = self.counts.len() as u32;
        // The end of the range of states that `parent` and all before it discovered.
        let mut end = self.initial + (0..parent).map(|number| self.count(number)).sum::<u32>();
        while wanted >= self.initial && parent > 0 {
            parent -= 1;
            let begin = end - self.count(parent);
            if begin <= wanted && wanted < end {
                path.push(StateId(parent));
                wanted = parent;
            }
            end = begin;
        }
        path.reverse();
        path
    }
}

/// Explores the product breadth first.
pub fn reach_bfs<P: Product>(product: &mut P, options: ReachOptions, control: &mut Control<'_>) -> Outcome {
    let mut faults = FaultLog::default();
    let mut births = Births::default();
    let ended = explore(product, options, control, &mut faults, &mut births);
    faults.complete(|state| births.path_to(state));
    conclude(product, control, births.memory_bytes(), faults, ended.map(|()| None))
}

fn explore<P: Product>(
    product: &mut P,
    options: ReachOptions,
    control: &mut Control<'_>,
    faults: &mut FaultLog,
    births: &mut Births,
) -> Result<(), Halt> {
    let mut out = Expansion::new();
    control.start(product)?;
    births.initial = product.stored() as u32;
    let mut level = 0_u64;
    let mut level_end = births.initial;
    let mut state = 0;
    let mut found = None;
    while state < product.stored() as u32 {
        if state == level_end {
            level += 1;
            level_end = product.stored() as u32;
        }
        let known = product.stored() as u32;
        let bytes = births.memory_bytes();
        control.expand(product, StateId(state), &mut out, level as usize + 1, || bytes)?;
        collect_faults(&mut out, options);
        let discovered = product.stored() as u32;
        check_discovery(&out, known, discovered)?;
        births.push(discovered - known);
        for &fault in &out.faults {
            let steps = level + u64::from(fault.edge.is_some());
            if options.faults == FaultPolicy::CountAll || found.is_none_or(|shortest| steps < shortest) {
                faults.record(fault, steps, || vec![StateId(state)]);
                found = Some(steps);
            }
        }
        // A fault on an edge is one step farther than a fault of a state of the same level, so the rest of
        // the level may still have a shorter path.
        let ends_here = found == Some(level) || state + 1 == level_end;
        if found.is_some() && ends_here && options.faults != FaultPolicy::CountAll {
            return Ok(());
        }
        state += 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_restored_from_counts_however_large() {
        // State 0 discovers 300 states, state 1 two, state 2 none, state 3 one.
        let mut births = Births { initial: 1, ..Births::default() };
        births.push(300);
        births.push(2);
        births.push(0);
        births.push(1);
        let path =
            |number| births.path_to(StateId(number)).into_iter().map(|state| state.0).collect::<Vec<_>>();
        assert_eq!(path(0), [0]);
        assert_eq!(path(300), [0, 300]);
        assert_eq!(path(301), [0, 1, 301]);
        assert_eq!(path(302), [0, 1, 302]);
        assert_eq!(path(303), [0, 3, 303]);
    }
}
