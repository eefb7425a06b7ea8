//! Sticky edges: locations are taken out until those left form no cycle of steps.
//!
//! A cycle of the reduced system in which every state moves one process alone would be, for each process
//! that moves in it, a cycle of its control-flow graph through locations that are followed alone. Taking
//! out the source of every back edge of a depth-first search leaves no such cycle. Unsafe locations are
//! fully expanded anyway, so only cycles among the others have to be broken.

use transition::model::{LocationId, Model, ProcessType};
use transition::reduction::Safety;

pub(super) fn break_cycles(model: &Model, safety: &mut [Vec<Safety>]) {
    for (process, safety) in model.processes.iter().zip(safety) {
        break_cycles_of(process, safety);
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Colour {
    White,
    OnStack,
    Done,
}

fn break_cycles_of(process: &ProcessType, safety: &mut [Safety]) {
    let count = process.locations.len();
    let next: Vec<Vec<LocationId>> = (0..count)
        .map(|at| {
            if safety[at] == Safety::Unsafe {
                Vec::new()
            } else {
                resting_places(process, LocationId(at as u32))
            }
        })
        .collect();
    let mut colours = vec![Colour::White; count];
    // From the start of the process first, so that back edges are the ones that close loops.
    let roots = std::iter::once(process.start.0 as usize).chain(0..count);
    for root in roots {
        if colours[root] != Colour::White {
            continue;
        }
        colours[root] = Colour::OnStack;
        let mut stack = vec![(root, 0)];
        while let Some((at, position)) = stack.pop() {
            let Some(to) = next[at].get(position).filter(|_| safety[at] != Safety::Unsafe) else {
                // Locations that are not followed alone still lead somewhere.
                colours[at] = Colour::Done;
                continue;
            };
            stack.push((at, position + 1));
            let to = to.0 as usize;
            match colours[to] {
                Colour::White => {
                    colours[to] = Colour::OnStack;
                    stack.push((to, 0));
                }
                Colour::OnStack if safety[to] != Safety::Unsafe => safety[at] = Safety::Unsafe,
                Colour::OnStack | Colour::Done => {}
            }
        }
    }
}

/// Where control can rest after one step: the targets of the edges, and beyond a target that keeps
/// exclusive control everything that can be reached without giving it up.
pub(super) fn resting_places(process: &ProcessType, from: LocationId) -> Vec<LocationId> {
    let count = process.locations.len();
    let (mut reached, mut inside) = (vec![false; count], vec![false; count]);
    let mut pending = vec![from];
    while let Some(at) = pending.pop() {
        for edge in &process.location(at).edges {
            let target = edge.target.0 as usize;
            reached[target] = true;
            if edge.atomic && !std::mem::replace(&mut inside[target], true) {
                pending.push(edge.target);
            }
        }
    }
    (0..count).filter(|at| reached[*at]).map(|at| LocationId(at as u32)).collect()
}
