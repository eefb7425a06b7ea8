//! The minimal weak deterministic automaton of an obligation property.
//!
//! Dax, Eisinger and Klaedtke (ATVA'07): if the language is an obligation, the subset construction becomes a
//! weak deterministic automaton once each component is called accepting or not by asking about one of its
//! cycles. Löding (2001): colour components so that equal futures get equal colours, then minimise as if for
//! finite words. Whether the guess was right is checked by two products, so the result can be trusted for any
//! formula.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::{Bdd, BddManager, Literals};
use crate::components::Components;
use crate::determinise::{Subsets, subset_construction};
use crate::product::{accepts_cycle, are_disjoint};
use crate::symbolic::{Graph, GraphEdge};

/// The minimal weak deterministic automaton of the language of `graph`, complete and with one acceptance set;
/// none if the language is not an obligation or the attempt grew too large. `negation` accepts the complement.
pub(crate) fn minimal_weak(
    graph: &Graph,
    negation: Option<&Graph>,
    manager: &mut BddManager,
    maximum_states: usize,
) -> Option<Graph> {
    let negation = negation?;
    let subsets = subset_construction(graph, manager, maximum_states)?;
    let accepting = accepting_states(graph, &subsets, manager);
    let weak = minimise(&subsets.graph, &accepting, manager);
    let complement = flipped(&weak);
    let inside = are_disjoint(&weak, negation, manager)?;
    let covers = are_disjoint(&complement, graph, manager)?;
    (inside && covers).then_some(weak)
}

/// The same with all marks exchanged: the complement of a complete weak deterministic automaton.
pub(crate) fn flipped(weak: &Graph) -> Graph {
    let mut result = weak.clone();
    for edge in result.states.iter_mut().flatten() {
        edge.marks = Marks(edge.marks.0 ^ 1);
    }
    result
}

/// For every subset whether its colour (see the module) is that of acceptance.
fn accepting_states(graph: &Graph, subsets: &Subsets, manager: &BddManager) -> Vec<bool> {
    let deterministic = &subsets.graph;
    let components = Components::of_graph(deterministic);
    // Accepting components get even colours, others odd ones, none smaller than those it leads to.
    let mut colour = vec![0u32; components.count()];
    for component in 0..components.count() {
        let members = &components.members[component];
        let mut largest = 0;
        let mut leads_on = false;
        for edge in members.iter().flat_map(|state| &deterministic.states[*state as usize]) {
            let target = components.of[edge.target as usize] as usize;
            if target != component {
                largest = largest.max(colour[target]);
                leads_on = true;
            }
        }
        colour[component] = match cycle_letters(deterministic, &components, component, manager) {
            None if leads_on => largest,
            None => 1,
            Some((start, letters)) => {
                let accepting = accepts_cycle(graph, manager, &subsets.subsets[start as usize], &letters);
                largest + (accepting != largest.is_multiple_of(2)) as u32
            }
        };
    }
    components.of.iter().map(|component| colour[*component as usize].is_multiple_of(2)).collect()
}

/// A state of the component and letters that lead from it back to it.
fn cycle_letters(
    graph: &Graph,
    components: &Components,
    component: usize,
    manager: &BddManager,
) -> Option<(u32, Vec<Literals>)> {
    let start = *components.members[component].first()?;
    let inside = |state: u32| components.of[state as usize] == component as u32;
    let mut parent: FxHashMap<u32, (u32, Bdd)> = FxHashMap::default();
    let mut queue = VecDeque::from([start]);
    while let Some(state) = queue.pop_front() {
        for edge in graph.states[state as usize].iter().filter(|edge| inside(edge.target)) {
            if edge.target == start {
                let mut letters = vec![manager.satisfying(edge.label)?];
                let mut current = state;
                while current != start {
                    let (before, label) = parent[&current];
                    letters.push(manager.satisfying(label)?);
                    current = before;
                }
                letters.reverse();
                return Some((start, letters));
            }
            if let Entry::Vacant(entry) = parent.entry(edge.target) {
                entry.insert((state, edge.label));
                queue.push_back(edge.target);
            }
        }
    }
    None
}

/// Merges states that cannot be told apart (Moore's refinement); marks sit on all edges of accepting classes.
fn minimise(graph: &Graph, accepting: &[bool], manager: &mut BddManager) -> Graph {
    let mut class: Vec<u32> = accepting.iter().map(|accepting| *accepting as u32).collect();
    let mut count = 0;
    loop {
        let mut numbers: FxHashMap<(u32, Vec<(u32, Bdd)>), u32> = FxHashMap::default();
        let mut refined = Vec::with_capacity(class.len());
        for state in 0..graph.len() {
            let signature = signature(graph, state, &class, manager);
            let fresh = numbers.len() as u32;
            refined.push(*numbers.entry((class[state], signature)).or_insert(fresh));
        }
        let refined_count = numbers.len();
        class = refined;
        if refined_count == count {
            break;
        }
        count = refined_count;
    }
    let mut states: Vec<Vec<GraphEdge>> = vec![Vec::new(); count];
    for state in 0..graph.len() {
        let edges = &mut states[class[state] as usize];
        if edges.is_empty() {
            let marks = Marks(accepting[state] as u32);
            let moves = signature(graph, state, &class, manager);
            edges.extend(moves.into_iter().map(|(target, label)| GraphEdge { label, target, marks }));
        }
    }
    let mut result = Graph { initial: class[graph.initial as usize], states, sets: 1, state_based: false };
    result.renumber();
    result
}

fn signature(graph: &Graph, state: usize, class: &[u32], manager: &mut BddManager) -> Vec<(u32, Bdd)> {
    let mut moves: Vec<(u32, Bdd)> = Vec::new();
    for edge in &graph.states[state] {
        let target = class[edge.target as usize];
        match moves.iter_mut().find(|(known, _)| *known == target) {
            Some((_, label)) => *label = manager.or(*label, edge.label),
            None => moves.push((target, edge.label)),
        }
    }
    moves.sort_unstable();
    moves
}
