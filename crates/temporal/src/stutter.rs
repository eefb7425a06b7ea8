//! Whether repeating letters can change the truth of a property; if not, partial-order reduction is sound.
//!
//! A formula without `X` is stutter-invariant. Otherwise the question is decided on automata (Michaud and
//! Duret-Lutz, SPIN'15): the *closure* of an automaton also accepts every word that some accepted word becomes by
//! dropping repetitions. Two stutter-equivalent words share such a contraction, so the property is
//! stutter-invariant exactly if the closures of the automaton and of its complement have no word in common.

use crate::automaton::{Automaton, Marks};
use crate::bdd::{Bdd, BddManager};
use crate::determinise::complete;
use crate::formula::{Formula, FormulaStore, Node};
use crate::kinds::reduced;
use crate::limits;
use crate::product::are_disjoint;
use crate::prune::Between;
use crate::simplify::Simplifier;
use crate::symbolic::{Graph, GraphEdge};
use crate::tableau::{Expansion, Tableau};

/// The answer and how it was found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum StutterInvariance {
    /// The formula, or an equivalent one, has no `X`.
    WithoutNext,
    /// Proved on automata.
    Proved,
    /// Two stutter-equivalent words differ in it.
    Refuted,
    /// The test was too expensive or does not apply.
    Unknown,
}

impl StutterInvariance {
    /// Whether the property is known to be stutter-invariant.
    pub fn holds(self) -> bool {
        matches!(self, StutterInvariance::WithoutNext | StutterInvariance::Proved)
    }
}

/// Decides whether a formula is stutter-invariant.
pub fn formula_stutter_invariance(store: &mut FormulaStore, formula: Formula) -> StutterInvariance {
    if !has_next(store, formula) {
        return StutterInvariance::WithoutNext;
    }
    let atoms = store.atoms(formula);
    if store.depth(formula) > limits::DEPTH || atoms.len() > limits::PROPOSITIONS {
        return StutterInvariance::Unknown;
    }
    let mut simplifier = Simplifier::default();
    let normal = simplifier.simplify(store, formula);
    if !has_next(store, normal) {
        return StutterInvariance::WithoutNext;
    }
    let negated = simplifier.negate(store, normal);
    let mut manager = BddManager::new();
    let mut tableau = Tableau::new(store, &mut manager, &atoms);
    let graphs = [normal, negated].map(|formula| {
        tableau.translate(formula, Expansion::Primes, limits::STUTTER_STATES, &mut |_, formula| formula).ok()
    });
    let [Some(positive), Some(negative)] = graphs else { return StutterInvariance::Unknown };
    compare(positive, negative, &mut manager)
}

/// Decides whether the language of a deterministic automaton is stutter-invariant; for others the complement is
/// not at hand and the answer is unknown.
pub fn automaton_stutter_invariance(automaton: &Automaton) -> StutterInvariance {
    let mut manager = BddManager::new();
    let mut graph = Graph::of_automaton(automaton, &mut manager);
    graph.state_based = false;
    let graph = reduced(graph, &mut manager, Between::Bare);
    if !graph.is_deterministic(&mut manager) {
        return StutterInvariance::Unknown;
    }
    let complement = complement_of_deterministic(&graph, &mut manager);
    compare(graph, complement, &mut manager)
}

fn compare(positive: Graph, negative: Graph, manager: &mut BddManager) -> StutterInvariance {
    let positive = closure(reduced(positive, manager, Between::Bare), manager);
    let negative = closure(reduced(negative, manager, Between::Bare), manager);
    let (Some(positive), Some(negative)) = (positive, negative) else { return StutterInvariance::Unknown };
    let disjoint = are_disjoint(&positive, &negative, manager);
    match disjoint {
        _ if manager.is_exhausted() => StutterInvariance::Unknown,
        None => StutterInvariance::Unknown,
        Some(true) => StutterInvariance::Proved,
        Some(false) => StutterInvariance::Refuted,
    }
}

fn has_next(store: &FormulaStore, formula: Formula) -> bool {
    let mut seen = rustc_hash::FxHashSet::default();
    let mut work = vec![formula];
    while let Some(current) = work.pop() {
        if seen.insert(current) {
            if matches!(store.node(current), Node::Next(_)) {
                return true;
            }
            work.extend(store.node(current).operands());
        }
    }
    false
}

/// Adds an edge for every two that can be taken in a row by the same letter, until there are no new ones.
fn closure(mut graph: Graph, manager: &mut BddManager) -> Option<Graph> {
    for state in 0..graph.len() {
        let mut next = 0;
        // Edges of later states are not closed yet, but what they add is found through their own edges.
        while next < graph.states[state].len() {
            let first = graph.states[state][next];
            next += 1;
            for second in graph.states[first.target as usize].clone() {
                let label = manager.and(first.label, second.label);
                let marks = first.marks.union(second.marks);
                if label.is_false()
                    || !add_edge(&mut graph.states[state], label, second.target, marks, manager)
                {
                    continue;
                }
                // A grown edge has to be looked at again.
                next = next.min(
                    graph.states[state]
                        .iter()
                        .position(|edge| edge.target == second.target && edge.marks == marks)
                        .unwrap_or(next),
                );
            }
            if graph.states[state].len() > limits::STUTTER_EDGES || manager.is_exhausted() {
                return None;
            }
        }
    }
    Some(graph)
}

/// Says whether the edge brought new letters.
fn add_edge(
    edges: &mut Vec<GraphEdge>,
    label: Bdd,
    target: u32,
    marks: Marks,
    manager: &mut BddManager,
) -> bool {
    match edges.iter_mut().find(|edge| edge.target == target && edge.marks == marks) {
        Some(edge) => {
            let union = manager.or(edge.label, label);
            let grown = union != edge.label;
            edge.label = union;
            grown
        }
        None => {
            edges.push(GraphEdge { label, target, marks });
            true
        }
    }
}

/// A run of a deterministic automaton is rejected if from some point on it avoids one of the sets (or if it gets
/// stuck): guess the set and the point.
fn complement_of_deterministic(graph: &Graph, manager: &mut BddManager) -> Graph {
    let graph = complete(graph, manager);
    let width = graph.len() as u32;
    let mut states: Vec<Vec<GraphEdge>> = graph.states.clone();
    for edges in &mut states {
        let mut guesses: Vec<GraphEdge> = Vec::new();
        for edge in edges.iter_mut() {
            for set in 0..graph.sets {
                guesses.push(GraphEdge {
                    target: edge.target + width * (set + 1),
                    marks: Marks::NONE,
                    ..*edge
                });
            }
            edge.marks = Marks::NONE;
        }
        edges.extend(guesses);
    }
    for set in 0..graph.sets {
        for edges in &graph.states {
            let avoiding = edges.iter().filter(|edge| !edge.marks.contains(set));
            let copy = avoiding.map(|edge| GraphEdge {
                target: edge.target + width * (set + 1),
                marks: Marks(1),
                ..*edge
            });
            states.push(copy.collect());
        }
    }
    Graph { initial: graph.initial, states, sets: 1, state_based: false }
}
