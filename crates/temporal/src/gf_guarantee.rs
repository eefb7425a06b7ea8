//! `G F g` for a guarantee `g`: a deterministic automaton that waits for `g` over and over.
//!
//! The minimal automaton of `F g` ends in one state that accepts everything; instead of resting there, its edges
//! start again, with a mark. Starting again with the letter just read or with the next one are both right; the
//! former often needs one state less. (Spot's `gf_guarantee` does the same.)

use crate::automaton::Marks;
use crate::bdd::BddManager;
use crate::symbolic::{Graph, GraphEdge};

/// Makes the automaton of `G F g` from the minimal weak deterministic automaton of `F g`; none if that does not
/// have the expected shape. The letter that ends a round begins the next one if `reuse` is set.
pub(crate) fn repeat_guarantee(weak: &Graph, manager: &mut BddManager, reuse: bool) -> Option<Graph> {
    let accepts_all = |state: u32| match weak.states[state as usize].as_slice() {
        [edge] => edge.target == state && edge.label.is_true() && edge.marks == Marks(1),
        _ => false,
    };
    let goal = (0..weak.len() as u32).find(|state| accepts_all(*state))?;
    if goal == weak.initial {
        return None;
    }
    // Any other accepting edge would mean that the property is not a guarantee.
    let elsewhere = |state: usize| {
        state != goal as usize && weak.states[state].iter().any(|edge| edge.marks != Marks::NONE)
    };
    if (0..weak.len()).any(elsewhere) {
        return None;
    }
    let beginnings = weak.states[weak.initial as usize].clone();
    let mut states = Vec::new();
    for edges in &weak.states {
        let mut repeated = Vec::new();
        for edge in edges {
            if edge.target != goal {
                repeated.push(*edge);
            } else if !reuse {
                repeated.push(GraphEdge { target: weak.initial, marks: Marks(1), ..*edge });
            } else {
                for beginning in &beginnings {
                    let label = manager.and(edge.label, beginning.label);
                    // A letter that fulfils the guarantee alone has nothing left to begin with.
                    let target = if beginning.target == goal { weak.initial } else { beginning.target };
                    repeated.push(GraphEdge { label, target, marks: Marks(1) });
                }
            }
        }
        states.push(repeated);
    }
    let mut graph = Graph { initial: weak.initial, states, sets: 1, state_based: false };
    graph.merge_edges(manager);
    graph.renumber();
    Some(graph)
}
