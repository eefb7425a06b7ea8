//! Direct and reverse simulation, the quotients by their equivalences, and the pruning of dominated edges.
//!
//! State `p` is below `q` if whatever `p` can do (how `p` can be reached) letter by letter, `q` can do (can be
//! reached) with at least the same marks. The relation is the greatest fixpoint on pairs; whether an edge is
//! matched is asked of all edges of the other state together, because different letters may be matched by
//! different edges (Babiak et al., SPIN'13, do the same with signatures). Pruning an edge next to a strictly
//! larger one is sound for each of the two relations alone (Clemente and Mayr, POPL'13), so they take turns.

use rustc_hash::FxHashMap;

use crate::automaton::Marks;
use crate::bdd::BddManager;
use crate::limits;
use crate::symbolic::{Graph, GraphEdge};

/// Applies both quotients in turn until nothing changes.
pub(crate) fn reduce_by_simulation(graph: &mut Graph, manager: &mut BddManager) {
    bisimulation_quotient(graph, manager);
    if graph.len() > limits::SIMULATED_STATES || graph.edge_count() > limits::SIMULATED_EDGES {
        return;
    }
    loop {
        let before = graph.clone();
        direct_quotient(graph, manager);
        reverse_quotient(graph, manager);
        if graph.len() == before.len() && graph.edge_count() >= before.edge_count() {
            if graph.edge_count() > before.edge_count() {
                *graph = before;
            }
            return;
        }
    }
}

/// A square of bits.
struct Relation {
    size: usize,
    bits: Vec<bool>,
}

impl Relation {
    fn new(size: usize, holds: impl Fn(usize, usize) -> bool) -> Relation {
        let bits = (0..size * size).map(|index| holds(index / size, index % size)).collect();
        Relation { size, bits }
    }

    fn below(&self, small: usize, large: usize) -> bool {
        self.bits[small * self.size + large]
    }

    fn equivalent(&self, a: usize, b: usize) -> bool {
        self.below(a, b) && self.below(b, a)
    }

    /// Removes pairs whose moves do not match until all do.
    fn refine(&mut self, manager: &mut BddManager, moves: &[Vec<GraphEdge>]) {
        loop {
            let mut changed = false;
            for small in 0..self.size {
                for large in 0..self.size {
                    if small != large
                        && self.below(small, large)
                        && !self.matches(manager, &moves[small], &moves[large])
                    {
                        self.bits[small * self.size + large] = false;
                        changed = true;
                    }
                }
            }
            if !changed {
                return;
            }
        }
    }

    fn matches(&self, manager: &mut BddManager, challenge: &[GraphEdge], defence: &[GraphEdge]) -> bool {
        challenge.iter().all(|edge| {
            let mut open = edge.label;
            for answer in defence {
                if answer.marks.includes(edge.marks)
                    && self.below(edge.target as usize, answer.target as usize)
                {
                    open = manager.and_not(open, answer.label);
                    if open.is_false() {
                        return true;
                    }
                }
            }
            open.is_false()
        })
    }

    /// The least equivalent state of every state.
    fn representatives(&self) -> Vec<u32> {
        (0..self.size)
            .map(|state| (0..state).find(|other| self.equivalent(*other, state)).unwrap_or(state) as u32)
            .collect()
    }

    /// Takes from every move the letters that a strictly better move of the same state reads as well.
    fn prune_dominated(&self, manager: &mut BddManager, moves: &mut [Vec<GraphEdge>]) {
        for edges in moves {
            let original = edges.clone();
            for (index, edge) in edges.iter_mut().enumerate() {
                for (other_index, other) in original.iter().enumerate() {
                    let different = (other.target, other.marks) != (edge.target, edge.marks);
                    if other_index != index
                        && different
                        && other.marks.includes(edge.marks)
                        && self.below(edge.target as usize, other.target as usize)
                    {
                        edge.label = manager.and_not(edge.label, other.label);
                    }
                }
            }
            edges.retain(|edge| !edge.label.is_false());
        }
    }
}

/// Merges states whose edges look the same up to merging; cheap, and enough to make large tableaux small.
fn bisimulation_quotient(graph: &mut Graph, manager: &mut BddManager) {
    let mut class = vec![0u32; graph.len()];
    let mut count = 1;
    loop {
        let mut numbers: FxHashMap<Vec<GraphEdge>, u32> = FxHashMap::default();
        let mut merged = graph.clone();
        merged.states.iter_mut().flatten().for_each(|edge| edge.target = class[edge.target as usize]);
        merged.merge_edges(manager);
        for (state, edges) in merged.states.into_iter().enumerate() {
            let fresh = numbers.len() as u32;
            class[state] = *numbers.entry(edges).or_insert(fresh);
        }
        if numbers.len() == count {
            break;
        }
        count = numbers.len();
    }
    if count == graph.len() {
        return;
    }
    let mut representative = vec![u32::MAX; count];
    for state in (0..graph.len()).rev() {
        representative[class[state] as usize] = state as u32;
    }
    let of = |state: u32| representative[class[state as usize] as usize];
    graph.states.iter_mut().flatten().for_each(|edge| edge.target = of(edge.target));
    graph.initial = of(graph.initial);
    graph.merge_edges(manager);
    graph.renumber();
}

fn uniform_marks(graph: &Graph, state: usize) -> Marks {
    graph.states[state].first().map_or(Marks::NONE, |edge| edge.marks)
}

pub(crate) fn direct_quotient(graph: &mut Graph, manager: &mut BddManager) {
    graph.merge_edges(manager);
    let mut relation = Relation::new(graph.len(), |_, _| true);
    relation.refine(manager, &graph.states);
    let class = relation.representatives();
    for edges in &mut graph.states {
        for edge in edges {
            edge.target = class[edge.target as usize];
        }
    }
    graph.initial = class[graph.initial as usize];
    graph.merge_edges(manager);
    relation.prune_dominated(manager, &mut graph.states);
    graph.renumber();
}

pub(crate) fn reverse_quotient(graph: &mut Graph, manager: &mut BddManager) {
    graph.merge_edges(manager);
    let initial = graph.initial as usize;
    let mut relation = Relation::new(graph.len(), |small, large| {
        (small != initial || large == initial)
            && (!graph.state_based || uniform_marks(graph, large) == uniform_marks(graph, small))
    });
    let mut incoming = reversed(&graph.states);
    relation.refine(manager, &incoming);
    let class = relation.representatives();
    // The edges of merged states are united; as incoming edges their sources are united as well.
    let mut united: Vec<Vec<GraphEdge>> = vec![Vec::new(); graph.len()];
    for (state, edges) in incoming.iter().enumerate() {
        let edges = edges.iter().map(|edge| GraphEdge { target: class[edge.target as usize], ..*edge });
        united[class[state] as usize].extend(edges);
    }
    let mut united_graph = Graph { states: united, ..graph.clone() };
    united_graph.merge_edges(manager);
    incoming = united_graph.states;
    relation.prune_dominated(manager, &mut incoming);
    graph.states = reversed(&incoming);
    graph.initial = class[initial];
    graph.merge_edges(manager);
    graph.renumber();
}

fn reversed(states: &[Vec<GraphEdge>]) -> Vec<Vec<GraphEdge>> {
    let mut incoming: Vec<Vec<GraphEdge>> = vec![Vec::new(); states.len()];
    for (state, edges) in states.iter().enumerate() {
        for edge in edges {
            incoming[edge.target as usize].push(GraphEdge { target: state as u32, ..*edge });
        }
    }
    incoming
}
