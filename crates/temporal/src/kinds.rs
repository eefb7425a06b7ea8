//! Conversions between the four kinds of Büchi automata, and reduction of automata that came from elsewhere.

use crate::automaton::{AcceptanceKind, Automaton};
use crate::bdd::BddManager;
use crate::degeneralise::{Counting, degeneralise};
use crate::prune::{Between, prune};
use crate::simulation::reduce_by_simulation;
use crate::symbolic::Graph;
use crate::translate::TranslationError;

/// The same language as an automaton of another kind, reduced on the way.
///
/// A state-based automaton is a transition-based one and a single set is a generalised acceptance, so only the
/// other directions copy states: at most `n` copies for [`AcceptanceKind::Tba`], `n + 1` for
/// [`AcceptanceKind::Sba`].
pub fn convert(automaton: &Automaton, kind: AcceptanceKind) -> Result<Automaton, TranslationError> {
    let mut manager = BddManager::new();
    let mut graph = Graph::of_automaton(automaton, &mut manager);
    graph.state_based = false;
    let candidates = vec![reduced(graph, &mut manager, Between::Bare)];
    let graph = smallest_of_kind(candidates, &mut manager, kind);
    let mut result = graph.to_automaton(&mut manager, automaton.propositions.clone(), kind);
    if manager.is_exhausted() {
        return Err(TranslationError::TooLarge);
    }
    result.name = automaton.name.clone();
    Ok(result)
}

/// Prunes and reduces until nothing gets smaller.
pub(crate) fn reduced(mut graph: Graph, manager: &mut BddManager, between: Between) -> Graph {
    prune(&mut graph, manager, between);
    loop {
        let before = (graph.len(), graph.edge_count());
        reduce_by_simulation(&mut graph, manager);
        prune(&mut graph, manager, between);
        if (graph.len(), graph.edge_count()) >= before {
            return graph;
        }
    }
}

/// Converts without trying anything twice, for automata too large for [`smallest_of_kind`].
pub(crate) fn plainly_of_kind(mut graph: Graph, manager: &mut BddManager, kind: AcceptanceKind) -> Graph {
    prune(&mut graph, manager, Between::Bare);
    let counting = match kind {
        AcceptanceKind::Tgba => return graph,
        AcceptanceKind::Tba => Counting::Transitions,
        AcceptanceKind::Sgba | AcceptanceKind::Sba => Counting::States,
    };
    let mut result = degeneralise(&graph, manager, counting, false);
    prune(&mut result, manager, Between::Bare);
    if kind == AcceptanceKind::Tba { with_a_set(result) } else { result }
}

/// Adds a candidate unless it is already there.
pub(crate) fn add(results: &mut Vec<Graph>, graph: Graph) {
    if !results.contains(&graph) {
        results.push(graph);
    }
}

/// Converts equivalent automata with marks on edges to the kind, each in several ways, and takes the smallest.
pub(crate) fn smallest_of_kind(
    candidates: Vec<Graph>,
    manager: &mut BddManager,
    kind: AcceptanceKind,
) -> Graph {
    let mut results = Vec::new();
    for graph in candidates {
        if kind == AcceptanceKind::Tgba {
            results.push(graph);
            continue;
        }
        let mut with_one_set = Vec::new();
        let degeneralised = degeneralise(&graph, manager, Counting::Transitions, false);
        for between in [Between::Bare, Between::Full] {
            add(&mut with_one_set, with_a_set(reduced(degeneralised.clone(), manager, between)));
        }
        if kind == AcceptanceKind::Tba {
            results.extend(with_one_set);
            continue;
        }
        add(&mut with_one_set, graph);
        for graph in with_one_set {
            for counting in [Counting::States, Counting::Arrivals] {
                if counting == Counting::Arrivals && kind == AcceptanceKind::Sba {
                    continue;
                }
                for trivial in [false, true] {
                    let graph = degeneralise(&graph, manager, counting, trivial);
                    add(&mut results, reduced(graph, manager, Between::Bare));
                }
            }
        }
    }
    // Among the smallest a deterministic one makes the smaller product.
    let mut keyed: Vec<_> = results
        .into_iter()
        .map(|graph| ((graph.len(), !graph.is_deterministic(manager), graph.edge_count(), graph.sets), graph))
        .collect();
    keyed.sort_by_key(|(key, _)| *key);
    keyed.into_iter().next().map_or_else(Graph::empty, |(_, graph)| graph)
}

/// An automaton that accepts every run, with one set in which every edge is.
fn with_a_set(mut graph: Graph) -> Graph {
    if graph.sets == 0 {
        graph.sets = 1;
        graph.states.iter_mut().flatten().for_each(|edge| edge.marks.0 = 1);
    }
    graph
}
