//! Removes what no accepting run uses, and marks that say nothing.
//!
//! States from which no accepting cycle can be reached go. Inside a component whose cycles are all accepting
//! every edge gets all marks, in one that accepts nothing and between components none, so that edges that
//! behave alike look alike. A set that contains another in every component is implied by it and goes.

use crate::automaton::Marks;
use crate::bdd::BddManager;
use crate::components::{ComponentKind, Components};
use crate::symbolic::Graph;

/// Which marks edges between components carry; no run takes one of them infinitely often.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Between {
    Bare,
    Full,
}

/// All of this module's rules, with edges merged and states renumbered afterwards.
pub(crate) fn prune(graph: &mut Graph, manager: &mut BddManager, between: Between) {
    remove_useless_states(graph);
    if graph.state_based {
        normalise_state_marks(graph);
    } else {
        normalise_marks(graph, between);
        if remove_implied_sets(graph) {
            // Fewer sets can make more cycles accepting.
            normalise_marks(graph, between);
        }
    }
    graph.merge_edges(manager);
    graph.renumber();
}

pub(crate) fn remove_useless_states(graph: &mut Graph) {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    // Components are numbered against the direction of edges, so successors are settled first.
    let mut useful = vec![false; components.count()];
    for component in 0..components.count() {
        let accepting = matches!(kinds[component], ComponentKind::Accepting | ComponentKind::Mixed);
        useful[component] = accepting
            || components.members[component].iter().any(|state| {
                let edges = &graph.states[*state as usize];
                edges.iter().any(|edge| {
                    let target = components.of[edge.target as usize] as usize;
                    target != component && useful[target]
                })
            });
    }
    let keep = |state: u32| {
        let component = components.of[state as usize];
        component != u32::MAX && useful[component as usize]
    };
    for (state, edges) in graph.states.iter_mut().enumerate() {
        if keep(state as u32) {
            edges.retain(|edge| keep(edge.target));
        } else {
            edges.clear();
        }
    }
    graph.renumber();
}

pub(crate) fn normalise_marks(graph: &mut Graph, between: Between) {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    let all = graph.all_marks();
    for state in 0..graph.len() as u32 {
        let component = components.of[state as usize];
        if component == u32::MAX {
            continue;
        }
        for edge in &mut graph.states[state as usize] {
            edge.marks = match (components.of[edge.target as usize] == component, kinds[component as usize]) {
                (false, _) => {
                    if between == Between::Full {
                        all
                    } else {
                        Marks::NONE
                    }
                }
                (true, ComponentKind::Accepting) => all,
                (true, ComponentKind::Mixed) => edge.marks,
                (true, _) => Marks::NONE,
            };
        }
    }
}

/// The same for marks that must stay uniform over a state's edges.
fn normalise_state_marks(graph: &mut Graph) {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    let all = graph.all_marks();
    for state in 0..graph.len() {
        let component = components.of[state];
        if component == u32::MAX {
            continue;
        }
        for edge in &mut graph.states[state] {
            match kinds[component as usize] {
                ComponentKind::Accepting => edge.marks = all,
                ComponentKind::Rejecting => edge.marks = Marks::NONE,
                ComponentKind::Trivial | ComponentKind::Mixed => {}
            }
        }
    }
}

/// Removes acceptance sets that others imply, component by component: each component lists the sets it cannot
/// do without, and numbers them afresh from zero; sets a component does not need are full there.
///
/// Says whether the number of sets went down.
fn remove_implied_sets(graph: &mut Graph) -> bool {
    let components = Components::of_graph(graph);
    let kinds = components.kinds(graph);
    let needed: Vec<Vec<u32>> = kinds
        .iter()
        .enumerate()
        .map(|(component, kind)| match kind {
            ComponentKind::Mixed => components.needed_sets(graph, component as u32),
            _ => Vec::new(),
        })
        .collect();
    let rejecting = kinds.iter().any(|kind| matches!(kind, ComponentKind::Rejecting));
    let before = graph.sets;
    let sets = needed.iter().map(|sets| sets.len() as u32).max().unwrap_or(0).max(rejecting as u32);
    let all = Marks::all(sets);
    let old_all = graph.all_marks();
    for state in 0..graph.len() {
        let component = components.of[state];
        if component == u32::MAX {
            continue;
        }
        let needed = &needed[component as usize];
        for edge in &mut graph.states[state] {
            let inside = components.of[edge.target as usize] == component;
            edge.marks = match kinds[component as usize] {
                ComponentKind::Mixed if inside => {
                    let fill = all.0 & !Marks::all(needed.len() as u32).0;
                    let kept = needed.iter().enumerate().filter(|(_, set)| edge.marks.contains(**set));
                    kept.fold(Marks(fill), |marks, (index, _)| marks.union(Marks(1 << index)))
                }
                _ if edge.marks == old_all => all,
                _ => Marks::NONE,
            };
        }
    }
    graph.sets = sets;
    sets < before
}
