//! How many processes of each type there can ever be at once, at most; and who can still create one.

use transition::model::{Action, LocationId, Model, ProcessType};

use super::access::edges;

/// By process type: 0, 1, or 2 for "several".
pub(super) fn instance_counts(model: &Model) -> Vec<u32> {
    let mut counts = vec![0_u32; model.processes.len()];
    for kind in &model.active {
        counts[kind.0 as usize] = counts[kind.0 as usize].saturating_add(1).min(2);
    }
    // Counts only grow and stop at 2, so this ends.
    loop {
        let mut next = vec![0_u32; model.processes.len()];
        for kind in &model.active {
            next[kind.0 as usize] += 1;
        }
        for (creator, process) in model.processes.iter().enumerate() {
            for (at, location) in process.locations.iter().enumerate() {
                for action in location.edges.iter().flat_map(|edge| &edge.actions) {
                    let Action::Run(run) = action else { continue };
                    let times = match counts[creator] {
                        0 => 0,
                        1 if !is_on_cycle(process, LocationId(at as u32)) => 1,
                        _ => 2,
                    };
                    next[run.process.0 as usize] += times;
                }
            }
        }
        next.iter_mut().zip(&counts).for_each(|(next, before)| *next = (*next).min(2).max(*before));
        if next == counts {
            return counts;
        }
        counts = next;
    }
}

/// Can control come back to the location?
fn is_on_cycle(process: &ProcessType, location: LocationId) -> bool {
    let mut seen = vec![false; process.locations.len()];
    let mut pending: Vec<LocationId> = successors(process, location);
    while let Some(at) = pending.pop() {
        if at == location {
            return true;
        }
        if !std::mem::replace(&mut seen[at.0 as usize], true) {
            pending.extend(successors(process, at));
        }
    }
    false
}

/// Where control can be after one edge, the inside of deterministic blocks included.
pub(super) fn successors(process: &ProcessType, location: LocationId) -> Vec<LocationId> {
    let mut found = Vec::new();
    for edge in &process.location(location).edges {
        found.push(edge.target);
        found.extend(edge.actions.iter().filter_map(|action| match action {
            Action::Block(block) => Some(block.entry),
            _ => None,
        }));
    }
    found
}

/// By process type and location: is a `run` still ahead?
pub(super) fn may_run(model: &Model) -> Vec<Vec<bool>> {
    model
        .processes
        .iter()
        .map(|process| {
            let runs = |at: usize| {
                let actions = process.locations[at].edges.iter().flat_map(|edge| &edge.actions);
                actions.into_iter().any(|action| matches!(action, Action::Run(_)))
            };
            let count = process.locations.len();
            let mut may: Vec<bool> = (0..count).map(runs).collect();
            if edges(process).next().is_none() || !may.contains(&true) {
                return may;
            }
            loop {
                let mut changed = false;
                for at in 0..count {
                    if !may[at]
                        && successors(process, LocationId(at as u32)).iter().any(|next| may[next.0 as usize])
                    {
                        may[at] = true;
                        changed = true;
                    }
                }
                if !changed {
                    return may;
                }
            }
        })
        .collect()
}
