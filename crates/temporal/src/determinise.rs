//! The subset construction, for automata whose acceptance is decided afterwards.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::{Bdd, BddManager};
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// A complete deterministic graph without acceptance; `subsets[i]` are the states that state `i` stands for.
pub(crate) struct Subsets {
    pub(crate) graph: Graph,
    pub(crate) subsets: Vec<Vec<u32>>,
}

/// All sets of states the automaton can be in; none if there are more than allowed.
pub(crate) fn subset_construction(
    graph: &Graph,
    manager: &mut BddManager,
    maximum_states: usize,
) -> Option<Subsets> {
    let mut subsets: Vec<Vec<u32>> = vec![vec![graph.initial]];
    let mut numbers: FxHashMap<Vec<u32>, u32> = FxHashMap::default();
    numbers.insert(subsets[0].clone(), 0);
    let mut states: Vec<Vec<GraphEdge>> = Vec::new();
    let mut cuts = 0;
    while states.len() < subsets.len() {
        let mut parts: Vec<(Bdd, Vec<u32>)> = vec![(Bdd::TRUE, Vec::new())];
        for state in &subsets[states.len()] {
            for edge in &graph.states[*state as usize] {
                parts = split(parts, edge, manager);
                cuts += parts.len();
                if parts.len() > maximum_states || cuts > limits::LABEL_CUTS {
                    return None;
                }
            }
        }
        let mut edges = Vec::new();
        for (label, mut subset) in parts {
            subset.sort_unstable();
            subset.dedup();
            let target = *numbers.entry(subset).or_insert_with_key(|subset| {
                subsets.push(subset.clone());
                subsets.len() as u32 - 1
            });
            edges.push(GraphEdge { label, target, marks: Marks::NONE });
        }
        states.push(edges);
        if subsets.len() > maximum_states {
            return None;
        }
    }
    let mut graph = Graph { initial: 0, states, sets: 0, state_based: false };
    graph.merge_edges(manager);
    Some(Subsets { graph, subsets })
}

/// Cuts each part into the letters that take the edge and those that do not.
fn split(parts: Vec<(Bdd, Vec<u32>)>, edge: &GraphEdge, manager: &mut BddManager) -> Vec<(Bdd, Vec<u32>)> {
    let mut result = Vec::with_capacity(parts.len() + 1);
    for (label, subset) in parts {
        let with = manager.and(label, edge.label);
        let without = manager.and_not(label, edge.label);
        if !with.is_false() {
            let mut larger = subset.clone();
            larger.push(edge.target);
            result.push((with, larger));
        }
        if !without.is_false() {
            result.push((without, subset));
        }
    }
    result
}

/// The same automaton with a state in which every run ends that would get stuck; nothing is accepted there.
pub(crate) fn complete(graph: &Graph, manager: &mut BddManager) -> Graph {
    let mut result = graph.clone();
    if result.sets == 0 {
        result.sets = 1;
        result.states.iter_mut().flatten().for_each(|edge| edge.marks = Marks(1));
    }
    let sink = result.len() as u32;
    for edges in &mut result.states {
        let read = edges.iter().fold(Bdd::FALSE, |union, edge| manager.or(union, edge.label));
        let label = manager.not(read);
        if !label.is_false() {
            edges.push(GraphEdge { label, target: sink, marks: Marks::NONE });
        }
    }
    result.states.push(vec![GraphEdge { label: Bdd::TRUE, target: sink, marks: Marks::NONE }]);
    result.state_based = false;
    result
}
