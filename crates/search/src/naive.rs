//! The reference that other searches are tested against: build the whole graph, then decide by definition.
//!
//! The components are Tarjan's (1972) on the explicit graph, and one is accepting when its inner edges bear
//! all marks. Nothing is done on the fly, nothing is shared with the other searches, nothing is quick.

use crate::product::{Edge, Expansion, FaultKind, Halt, Marks, Product, StateId};

/// A product explored to its end.
#[derive(Clone, Debug)]
pub struct ExplicitGraph {
    /// Where runs begin.
    pub initial: Vec<StateId>,
    /// The edges of each state.
    pub edges: Vec<Vec<Edge>>,
    /// All faults, in the order of the states that have them.
    pub faults: Vec<(StateId, FaultKind)>,
    /// The accepting sinks.
    pub sinks: Vec<StateId>,
    /// The marks that an accepting component needs.
    pub required: Marks,
}

impl ExplicitGraph {
    /// Explores a product without any limit.
    pub fn explore<P: Product>(product: &mut P) -> Result<ExplicitGraph, Halt> {
        let initial = product.initial()?;
        let required = Marks::all(product.acceptance_sets());
        let mut graph =
            ExplicitGraph { initial, edges: Vec::new(), faults: Vec::new(), sinks: Vec::new(), required };
        let mut out = Expansion::new();
        while graph.edges.len() < product.stored() {
            let state = StateId(graph.edges.len() as u32);
            product.expand(state, &mut out)?;
            graph.faults.extend(out.faults.iter().map(|fault| (state, fault.kind)));
            if out.accepting_sink {
                graph.sinks.push(state);
            }
            graph.edges.push(out.edges.clone());
        }
        Ok(graph)
    }

    /// The strongly connected components, each once, successors before predecessors.
    pub fn components(&self) -> Vec<Vec<StateId>> {
        const UNVISITED: u32 = u32::MAX;
        let count = self.edges.len();
        let mut order = vec![UNVISITED; count];
        let mut low = vec![0_u32; count];
        let mut is_open = vec![false; count];
        let mut open = Vec::new();
        let mut components = Vec::new();
        let mut next_order = 0;
        for root in 0..count {
            if order[root] != UNVISITED {
                continue;
            }
            let mut calls = vec![(root, 0_usize)];
            while let Some((state, position)) = calls.last_mut() {
                let state = *state;
                if *position == 0 {
                    order[state] = next_order;
                    low[state] = next_order;
                    next_order += 1;
                    is_open[state] = true;
                    open.push(state);
                }
                if let Some(edge) = self.edges[state].get(*position) {
                    *position += 1;
                    let target = edge.target.index();
                    if order[target] == UNVISITED {
                        calls.push((target, 0));
                    } else if is_open[target] {
                        low[state] = low[state].min(order[target]);
                    }
                    continue;
                }
                calls.pop();
                if let Some(&(caller, _)) = calls.last() {
                    low[caller] = low[caller].min(low[state]);
                }
                if low[state] == order[state] {
                    let mut component = Vec::new();
                    while let Some(member) = open.pop() {
                        is_open[member] = false;
                        component.push(StateId(member as u32));
                        if member == state {
                            break;
                        }
                    }
                    components.push(component);
                }
            }
        }
        components
    }

    /// The components that contain an accepting cycle.
    pub fn accepting_components(&self) -> Vec<Vec<StateId>> {
        let components = self.components();
        let mut component_of = vec![0; self.edges.len()];
        for (number, component) in components.iter().enumerate() {
            for state in component {
                component_of[state.index()] = number;
            }
        }
        let is_accepting = |component: &Vec<StateId>| {
            let inner = component.iter().flat_map(|state| {
                let here = component_of[state.index()];
                let component_of = &component_of;
                self.edges[state.index()].iter().filter(move |edge| component_of[edge.target.index()] == here)
            });
            let mut marks = Marks::NONE;
            let mut has_edge = false;
            for edge in inner {
                marks = marks.union(edge.marks);
                has_edge = true;
            }
            has_edge && marks.covers(self.required)
        };
        components.into_iter().filter(is_accepting).collect()
    }
}
