//! The working form of an automaton: labels are decision diagrams of one shared manager.
//!
//! Every transformation of this crate works on a [`Graph`]; [`Automaton`] is only made at the end. The manager
//! is passed beside the graph, so that graphs over the same propositions can be combined.

use crate::automaton::{AcceptanceKind, Automaton, Edge, Marks, State};
use crate::bdd::{Bdd, BddManager};
use crate::label::Label;

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct GraphEdge {
    pub(crate) label: Bdd,
    pub(crate) target: u32,
    pub(crate) marks: Marks,
}

/// An automaton whose labels live in a [`BddManager`]; variable `i` is proposition `i`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Graph {
    pub(crate) initial: u32,
    pub(crate) states: Vec<Vec<GraphEdge>>,
    pub(crate) sets: u32,
    /// Whether all edges that leave a state carry the same marks, and must keep doing so.
    pub(crate) state_based: bool,
}

impl Graph {
    /// The automaton of the empty language.
    pub(crate) fn empty() -> Graph {
        Graph { initial: 0, states: vec![Vec::new()], sets: 0, state_based: false }
    }

    pub(crate) fn len(&self) -> usize {
        self.states.len()
    }

    pub(crate) fn edge_count(&self) -> usize {
        self.states.iter().map(Vec::len).sum()
    }

    pub(crate) fn all_marks(&self) -> Marks {
        Marks::all(self.sets)
    }

    /// Joins edges with equal target and marks, drops impossible ones, and sorts.
    pub(crate) fn merge_edges(&mut self, manager: &mut BddManager) {
        for edges in &mut self.states {
            edges.sort_by_key(|edge| (edge.target, edge.marks, edge.label));
            let mut merged: Vec<GraphEdge> = Vec::with_capacity(edges.len());
            for edge in edges.drain(..) {
                match merged.last_mut() {
                    _ if edge.label.is_false() => {}
                    Some(last) if last.target == edge.target && last.marks == edge.marks => {
                        last.label = manager.or(last.label, edge.label);
                    }
                    _ => merged.push(edge),
                }
            }
            *edges = merged;
        }
    }

    /// Keeps the states that are reachable from the initial one, numbered in breadth-first order.
    pub(crate) fn renumber(&mut self) {
        let mut number = vec![u32::MAX; self.len()];
        let mut order = vec![self.initial];
        number[self.initial as usize] = 0;
        let mut next = 0;
        while next < order.len() {
            for edge in &self.states[order[next] as usize] {
                let target = edge.target as usize;
                if number[target] == u32::MAX {
                    number[target] = order.len() as u32;
                    order.push(edge.target);
                }
            }
            next += 1;
        }
        let states = order.iter().map(|state| {
            let edges = self.states[*state as usize].iter();
            edges.map(|edge| GraphEdge { target: number[edge.target as usize], ..*edge }).collect()
        });
        self.states = states.collect();
        self.initial = 0;
    }

    pub(crate) fn is_deterministic(&self, manager: &mut BddManager) -> bool {
        self.states.iter().all(|edges| {
            let mut seen = Bdd::FALSE;
            edges.iter().all(|edge| {
                let fresh = manager.disjoint(seen, edge.label);
                seen = manager.or(seen, edge.label);
                fresh
            })
        })
    }

    pub(crate) fn of_automaton(automaton: &Automaton, manager: &mut BddManager) -> Graph {
        let states = automaton.states.iter().map(|state| {
            let edges = state.edges.iter();
            edges
                .map(|edge| GraphEdge {
                    label: edge.label.to_bdd(manager),
                    target: edge.target,
                    marks: edge.marks,
                })
                .collect()
        });
        Graph {
            states: states.collect(),
            initial: automaton.initial,
            sets: automaton.sets,
            state_based: automaton.kind.is_state_based(),
        }
    }

    pub(crate) fn to_automaton(
        &self,
        manager: &mut BddManager,
        propositions: Vec<String>,
        kind: AcceptanceKind,
    ) -> Automaton {
        let states = self.states.iter().map(|edges| {
            let edges = edges.iter().map(|edge| Edge {
                label: Label::from_bdd(manager, edge.label),
                target: edge.target,
                marks: edge.marks,
            });
            State { edges: edges.collect() }
        });
        Automaton {
            name: None,
            states: states.collect(),
            initial: self.initial,
            sets: self.sets,
            kind,
            propositions,
        }
    }
}
