//! What kind of automaton one has, so that a search can choose the cheapest emptiness check that is right.

use crate::automaton::{Automaton, Marks};
use crate::bdd::{Bdd, BddManager};
use crate::components::{ComponentKind, Components};
use crate::symbolic::Graph;

/// A strongly connected component of the reachable part.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Component {
    pub kind: ComponentKind,
    pub states: Vec<u32>,
}

/// Sizes and structural classes of an automaton.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Classification {
    pub states: usize,
    pub edges: usize,
    /// Edges counted once per valuation of the propositions, as Spot counts transitions.
    pub transitions: u128,
    pub sets: u32,
    /// Numbered so that edges between components lead from larger to smaller indices.
    pub components: Vec<Component>,
    /// No state has two edges for one letter.
    pub deterministic: bool,
    /// Every state has an edge for every letter.
    pub complete: bool,
    /// No word is accepted.
    pub empty: bool,
    /// No component has both accepting and rejecting cycles.
    pub inherently_weak: bool,
    /// The same, visible on every edge: within a component either all edges carry all marks or none does.
    pub weak: bool,
    /// Weak, and every component is a single state.
    pub very_weak: bool,
    /// Weak, and once an accepting component is entered everything that follows is accepted: a word is accepted
    /// exactly if such a component can be reached.
    pub terminal: bool,
    /// Every infinite run is accepting: only getting stuck rejects.
    pub safety: bool,
}

/// Classifies the part of an automaton that is reachable from its initial state.
pub fn classify(automaton: &Automaton) -> Classification {
    let mut manager = BddManager::new();
    let graph = Graph::of_automaton(automaton, &mut manager);
    let components = Components::of_graph(&graph);
    let kinds = components.kinds(&graph);
    let all = graph.all_marks();
    let reachable = |state: u32| components.of[state as usize] != u32::MAX;
    let inner_marks = |component: usize| -> Vec<Marks> {
        let members = components.members[component].iter();
        let edges = members.flat_map(|state| &graph.states[*state as usize]);
        edges
            .filter(|edge| components.of[edge.target as usize] == component as u32)
            .map(|edge| edge.marks)
            .collect()
    };
    let indices = 0..components.count();
    let inherently_weak = !kinds.contains(&ComponentKind::Mixed);
    let weak = inherently_weak
        && indices.clone().all(|component| match kinds[component] {
            ComponentKind::Accepting => inner_marks(component).iter().all(|marks| *marks == all),
            ComponentKind::Rejecting => inner_marks(component).iter().all(|marks| *marks != all),
            ComponentKind::Trivial | ComponentKind::Mixed => true,
        });
    let accepting_state =
        |state: u32| kinds[components.of[state as usize] as usize] == ComponentKind::Accepting;
    let continues = |state: u32, manager: &mut BddManager| {
        let edges = graph.states[state as usize].iter().filter(|edge| accepting_state(edge.target));
        edges.fold(Bdd::FALSE, |union, edge| manager.or(union, edge.label)).is_true()
    };
    let states: Vec<u32> = (0..graph.len() as u32).filter(|state| reachable(*state)).collect();
    let terminal =
        weak && states.iter().all(|state| !accepting_state(*state) || continues(*state, &mut manager));
    let complete = states.iter().all(|state| {
        let edges = graph.states[*state as usize].iter();
        edges.fold(Bdd::FALSE, |union, edge| manager.or(union, edge.label)).is_true()
    });
    let accepting = |kind: &ComponentKind| matches!(kind, ComponentKind::Accepting | ComponentKind::Mixed);
    let harmless = |kind: &ComponentKind| matches!(kind, ComponentKind::Accepting | ComponentKind::Trivial);
    Classification {
        states: automaton.states.len(),
        edges: automaton.edge_count(),
        transitions: automaton.transition_count(),
        sets: automaton.sets,
        deterministic: graph.is_deterministic(&mut manager),
        complete,
        empty: !kinds.iter().any(accepting),
        inherently_weak,
        weak,
        very_weak: weak && components.members.iter().all(|members| members.len() == 1),
        terminal,
        safety: kinds.iter().all(harmless),
        components: indices
            .map(|index| Component { kind: kinds[index], states: components.members[index].clone() })
            .collect(),
    }
}
