//! What is known about a cycle that has no head.

use verdict::failure::Jump;

use super::ControlError;
use super::graph::Graph;

/// Explains a retreating edge whose target does not dominate its source: the cycle has a second entry.
pub(super) fn explain(graph: &Graph<'_, '_>, source: usize, target: usize) -> ControlError {
    let cycle = cycle(graph, source, target);
    let mut ways_in = Vec::new();
    for (from, targets) in graph.successors.iter().enumerate() {
        if !cycle[from] {
            ways_in.extend(targets.iter().filter(|to| cycle[**to]).map(|to| (from, *to)));
        }
    }
    let (own, others): (Vec<_>, Vec<_>) = ways_in.into_iter().partition(|(_, to)| *to == target);
    // The `goto` to blame is one that enters the cycle in its middle, else the one that closes the cycle. Some jump
    // is always found: structured statements alone make no such cycle.
    let candidates = others.iter().copied().chain([(source, target)]).chain(own);
    let blamed = candidates.into_iter().find_map(|(from, to)| Some((graph.jump(from, to)?, to)));
    let other = match blamed {
        Some((_, entry)) if entry != target => Some(target),
        _ => others.first().map(|(_, to)| *to),
    };
    let other = other.and_then(|other| graph.node(other).head).map(|head| head.span);
    let label = blamed.map(|(jump, _)| jump.label.to_string());
    ControlError {
        span: blamed.map_or(graph.draft.span, |(jump, _)| jump.span),
        jump: Jump::IntoLoop { label, other },
    }
}

/// The blocks on paths from `target` to `source` that do not pass `target` again.
fn cycle(graph: &Graph<'_, '_>, source: usize, target: usize) -> Vec<bool> {
    let after = reach(&graph.successors, target, None);
    let before = reach(&graph.predecessors, source, Some(target));
    after.into_iter().zip(before).map(|(after, before)| after && before).collect()
}

fn reach(edges: &[Vec<usize>], from: usize, last: Option<usize>) -> Vec<bool> {
    let mut seen = vec![false; edges.len()];
    let mut stack = vec![from];
    while let Some(block) = stack.pop() {
        if !std::mem::replace(&mut seen[block], true) && last != Some(block) {
            stack.extend(&edges[block]);
        }
    }
    seen
}
