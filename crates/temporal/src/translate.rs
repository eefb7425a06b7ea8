//! The whole way from a formula to a small automaton.
//!
//! Several roads are tried and the smallest result wins: the tableau cut into edges in different ways, each
//! pruned and reduced by simulation, and, where the property is an obligation, the minimal weak deterministic
//! automaton.

use source::{Diagnostic, Span};

use crate::automaton::{AcceptanceKind, Automaton};
use crate::bdd::BddManager;
use crate::formula::{Atom, Formula, FormulaStore};
use crate::gf_guarantee::repeat_guarantee;
use crate::kinds::{add, plainly_of_kind, reduced, smallest_of_kind};
use crate::limits;
use crate::normal_form::negative_normal_form;
use crate::product::are_disjoint;
use crate::prune::{Between, prune};
use crate::simplify::Simplifier;
use crate::symbolic::Graph;
use crate::syntax::{Dialect, display};
use crate::tableau::{Excess, Expansion, Tableau};
use crate::weak_minimise::minimal_weak;

/// Why a formula has no automaton here.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TranslationError {
    TooManyPropositions {
        found: usize,
    },
    TooDeep,
    TooManyStates {
        limit: usize,
    },
    TooManySets,
    /// A step needed more memory than a formula is granted.
    TooLarge,
}

impl std::fmt::Display for TranslationError {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TranslationError::TooManyPropositions { found } => {
                write!(
                    out,
                    "the formula has {found} propositions, and an automaton reads at most {}",
                    limits::PROPOSITIONS
                )
            }
            TranslationError::TooDeep => {
                write!(out, "the formula is nested more than {} levels deep", limits::DEPTH)
            }
            TranslationError::TooManyStates { limit } => {
                write!(out, "the automaton of the formula has more than {limit} states")
            }
            TranslationError::TooManySets => {
                write!(out, "the automaton of the formula needs more than {} acceptance sets", limits::SETS)
            }
            TranslationError::TooLarge => write!(out, "the formula is too large to be translated"),
        }
    }
}

impl std::error::Error for TranslationError {}

impl TranslationError {
    /// The same as a message about the formula at a place.
    pub fn diagnostic(&self, span: Span) -> Diagnostic {
        let code = match self {
            TranslationError::TooManyPropositions { .. } => "ltl.too-many-propositions",
            TranslationError::TooDeep => "ltl.too-deep",
            TranslationError::TooManyStates { .. } => "ltl.too-many-states",
            TranslationError::TooManySets => "ltl.too-many-sets",
            TranslationError::TooLarge => "ltl.too-large",
        };
        Diagnostic::error(code, span, self.to_string()).help("split the property into several smaller ones")
    }
}

/// Translates a formula into an automaton of the wanted kind. Its propositions are those that occur in the
/// formula, in the store's order.
pub fn translate(
    store: &mut FormulaStore,
    formula: Formula,
    kind: AcceptanceKind,
) -> Result<Automaton, TranslationError> {
    if store.depth(formula) > limits::DEPTH {
        return Err(TranslationError::TooDeep);
    }
    let atoms: Vec<Atom> = store.atoms(formula);
    if atoms.len() > limits::PROPOSITIONS {
        return Err(TranslationError::TooManyPropositions { found: atoms.len() });
    }
    let propositions: Vec<String> = atoms.iter().map(|atom| store.name(*atom).to_owned()).collect();
    let name = display(store, formula, Dialect::Spot).to_string();
    let mut manager = BddManager::new();
    let mut graph = candidates(store, &mut manager, formula, &atoms)
        .map(|candidates| smallest_of_kind(candidates, &mut manager, kind));
    if manager.is_exhausted() {
        manager = BddManager::new();
        graph = plain(store, &mut manager, formula, &atoms, kind);
    }
    let mut automaton = graph?.to_automaton(&mut manager, propositions, kind);
    if manager.is_exhausted() {
        return Err(TranslationError::TooLarge);
    }
    automaton.name = Some(name);
    Ok(automaton)
}

/// The tableau as it is, for formulas on which everything else takes too much.
fn plain(
    store: &mut FormulaStore,
    manager: &mut BddManager,
    formula: Formula,
    atoms: &[Atom],
    kind: AcceptanceKind,
) -> Result<Graph, TranslationError> {
    let normal = Simplifier::default().simplify(store, formula);
    let mut tableau = Tableau::new(store, manager, atoms);
    let graph =
        tableau.translate(normal, Expansion::Primes, limits::TABLEAU_STATES, &mut |_, formula| formula);
    let graph = graph.map_err(|excess| match excess {
        Excess::States => TranslationError::TooManyStates { limit: limits::TABLEAU_STATES },
        Excess::Sets => TranslationError::TooManySets,
        Excess::Nodes => TranslationError::TooLarge,
    })?;
    Ok(plainly_of_kind(graph, manager, kind))
}

fn candidates(
    store: &mut FormulaStore,
    manager: &mut BddManager,
    formula: Formula,
    atoms: &[Atom],
) -> Result<Vec<Graph>, TranslationError> {
    let mut simplifier = Simplifier::semantic();
    let normal = simplifier.simplify(store, formula);
    let negated = simplifier.negate(store, normal);
    let mut refiner = Simplifier::default();
    let gathered = Simplifier::gathering().simplify(store, normal);
    let first = Simplifier::taking_the_first().simplify(store, normal);
    let mut variants = vec![normal, gathered, first];
    variants.dedup();
    let mut tableau = Tableau::new(store, manager, atoms);
    let mut same = |_: &mut FormulaStore, formula| formula;
    let mut raw = Vec::new();
    let mut refined = Vec::new();
    let mut failure = TranslationError::TooManyStates { limit: limits::TABLEAU_STATES };
    'variants: for formula in variants {
        for expansion in [Expansion::Primes, Expansion::Letters] {
            match tableau.translate(formula, expansion, limits::TABLEAU_STATES, &mut same) {
                Ok(graph) => add(&mut raw, graph),
                Err(Excess::Sets) => failure = TranslationError::TooManySets,
                Err(Excess::Nodes) => return Err(TranslationError::TooLarge),
                Err(Excess::States) => {}
            }
            // Where edges are many, every further road is long and none is likely to be better.
            if raw.last().is_some_and(|graph| graph.edge_count() > limits::VARIED_EDGES) {
                break 'variants;
            }
            let mut simplify = |store: &mut FormulaStore, formula| refiner.simplify(store, formula);
            refined.extend(tableau.translate(formula, expansion, limits::REFINED_STATES, &mut simplify));
        }
    }
    let negation = tableau.translate(negated, Expansion::Primes, limits::TABLEAU_STATES, &mut same).ok();
    let guarantee = simplifier.recurrent_guarantee(store, normal);
    let negation = negation.map(|graph| reduced(graph, manager, Between::Bare));
    // Replacing the formula of a state by an equivalent one can break the bookkeeping of promises. The automaton
    // then accepts too much, never too little, so a look at the negation tells.
    for graph in refined {
        let sound = |negation: &Graph| are_disjoint(&graph, negation, manager) == Some(true);
        if negation.as_ref().is_some_and(sound) {
            add(&mut raw, graph);
        }
    }
    if let Some(guarantee) = guarantee
        && let Some(weak) = weak_of(store, manager, guarantee, atoms)
    {
        for reuse in [false, true] {
            raw.extend(repeat_guarantee(&weak, manager, reuse));
        }
    }
    let mut results: Vec<Graph> = Vec::new();
    for graph in raw {
        add(&mut results, reduced(graph.clone(), manager, Between::Bare));
        if graph.edge_count() <= limits::VARIED_EDGES {
            add(&mut results, reduced(graph, manager, Between::Full));
        }
    }
    let Some(smallest) = results.iter().min_by_key(|graph| (graph.len(), graph.edge_count())) else {
        return Err(failure);
    };
    if let Some(mut weak) = minimal_weak(smallest, negation.as_ref(), manager, limits::SUBSET_STATES) {
        prune(&mut weak, manager, Between::Bare);
        add(&mut results, weak);
    }
    if simplifier.properties(store, normal).suspendable() {
        for index in 0..results.len() {
            if let Some(graph) = restarted(&results[index], manager) {
                add(&mut results, reduced(graph, manager, Between::Bare));
            }
        }
    }
    Ok(results)
}

/// If no beginning matters to the language, every state of a deterministic automaton has the whole language, and
/// the best one to start from is one that reaches the fewest.
fn restarted(graph: &Graph, manager: &mut BddManager) -> Option<Graph> {
    if !graph.is_deterministic(manager) {
        return None;
    }
    let starts = (0..graph.len() as u32).map(|initial| {
        let mut candidate = Graph { initial, ..graph.clone() };
        candidate.renumber();
        candidate
    });
    starts.min_by_key(Graph::len).filter(|candidate| candidate.len() < graph.len())
}

/// The minimal weak deterministic automaton of a formula in negative normal form, if it is an obligation.
fn weak_of(
    store: &mut FormulaStore,
    manager: &mut BddManager,
    formula: Formula,
    atoms: &[Atom],
) -> Option<Graph> {
    let negated = negative_normal_form(store, formula, true);
    let mut tableau = Tableau::new(store, manager, atoms);
    let graphs = [formula, negated].map(|formula| {
        tableau.translate(formula, Expansion::Primes, limits::SUBSET_STATES, &mut |_, formula| formula).ok()
    });
    let [Some(positive), Some(negative)] = graphs else { return None };
    let positive = reduced(positive, manager, Between::Bare);
    minimal_weak(&positive, Some(&negative), manager, limits::SUBSET_STATES)
}
