//! Products of automata and emptiness, for the comparisons that the translation itself needs.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::{Bdd, BddManager, Literals};
use crate::components::{ComponentKind, Components, components_of};
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// The automaton of the intersection; none if it would need too many sets or states.
pub(crate) fn intersection(
    left: &Graph,
    right: &Graph,
    manager: &mut BddManager,
    maximum_states: usize,
) -> Option<Graph> {
    if left.sets + right.sets > limits::SETS {
        return None;
    }
    let mut numbers: FxHashMap<(u32, u32), u32> = FxHashMap::default();
    let mut pairs = vec![(left.initial, right.initial)];
    numbers.insert(pairs[0], 0);
    let mut states: Vec<Vec<GraphEdge>> = Vec::new();
    while states.len() < pairs.len() {
        let (a, b) = pairs[states.len()];
        let mut edges = Vec::new();
        for first in &left.states[a as usize] {
            for second in &right.states[b as usize] {
                let label = manager.and(first.label, second.label);
                if label.is_false() {
                    continue;
                }
                let pair = (first.target, second.target);
                let target = *numbers.entry(pair).or_insert_with(|| {
                    pairs.push(pair);
                    pairs.len() as u32 - 1
                });
                let marks = Marks(first.marks.0 | second.marks.0.checked_shl(left.sets).unwrap_or(0));
                edges.push(GraphEdge { label, target, marks });
            }
        }
        states.push(edges);
        if pairs.len() > maximum_states {
            return None;
        }
    }
    Some(Graph { initial: 0, states, sets: left.sets + right.sets, state_based: false })
}

pub(crate) fn is_empty(graph: &Graph) -> bool {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    !kinds.iter().any(|kind| matches!(kind, ComponentKind::Accepting | ComponentKind::Mixed))
}

/// Whether two automata have no word in common; none if that was too expensive to find out.
pub(crate) fn are_disjoint(left: &Graph, right: &Graph, manager: &mut BddManager) -> Option<bool> {
    intersection(left, right, manager, limits::COMPARED_STATES).map(|product| is_empty(&product))
}

/// Whether the automaton accepts the endless repetition of the letters from one of the states.
pub(crate) fn accepts_cycle(
    graph: &Graph,
    manager: &BddManager,
    starts: &[u32],
    letters: &[Literals],
) -> bool {
    let width = graph.len();
    let length = letters.len();
    let value = |label: Bdd, letter: &Literals| {
        manager.value(label, |variable| letter.iter().any(|(v, positive)| *v == variable && *positive))
    };
    let mut states: Vec<Vec<GraphEdge>> = Vec::with_capacity(width * length);
    for (position, letter) in letters.iter().enumerate() {
        let next = (position + 1) % length * width;
        for edges in &graph.states {
            let taken = edges.iter().filter(|edge| value(edge.label, letter));
            states.push(
                taken
                    .map(|edge| GraphEdge { target: next as u32 + edge.target, label: Bdd::TRUE, ..*edge })
                    .collect(),
            );
        }
    }
    let product = Graph { initial: 0, states, sets: graph.sets, state_based: false };
    let components = components_of(product.len(), starts.iter().copied(), |state| {
        product.states[state as usize].iter().map(|edge| edge.target)
    });
    let kinds = components.kinds(&product);
    kinds.iter().any(|kind| matches!(kind, ComponentKind::Accepting | ComponentKind::Mixed))
}
