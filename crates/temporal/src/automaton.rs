//! Büchi automata with generalised acceptance on edges: the type that leaves this crate.
//!
//! All four kinds of acceptance share one representation. Marks sit on edges; an automaton whose kind is
//! state-based has the same marks on all edges that leave a state. A run is accepting if it takes, for every
//! acceptance set, infinitely many edges with that mark; with no sets every infinite run is accepting.

use crate::evaluate::Valuation;
use crate::label::Label;

/// A set of acceptance marks: bit `i` is membership in acceptance set `i`.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Default)]
pub struct Marks(pub u32);

impl Marks {
    pub const NONE: Marks = Marks(0);

    /// All of the first `sets` marks.
    pub fn all(sets: u32) -> Marks {
        Marks(if sets >= 32 { u32::MAX } else { (1 << sets) - 1 })
    }

    pub fn contains(self, set: u32) -> bool {
        self.0 >> set & 1 == 1
    }

    pub fn includes(self, other: Marks) -> bool {
        other.0 & !self.0 == 0
    }

    pub fn union(self, other: Marks) -> Marks {
        Marks(self.0 | other.0)
    }

    pub fn intersection(self, other: Marks) -> Marks {
        Marks(self.0 & other.0)
    }

    pub fn iter(self) -> impl Iterator<Item = u32> {
        (0..32).filter(move |set| self.contains(*set))
    }
}

/// The four kinds of Büchi automata: generalised or not, marks on transitions or on states.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum AcceptanceKind {
    /// Transition-based generalised.
    Tgba,
    /// State-based generalised.
    Sgba,
    /// Transition-based with one set.
    Tba,
    /// State-based with one set.
    Sba,
}

impl AcceptanceKind {
    pub fn is_state_based(self) -> bool {
        matches!(self, AcceptanceKind::Sgba | AcceptanceKind::Sba)
    }

    pub fn is_generalised(self) -> bool {
        matches!(self, AcceptanceKind::Tgba | AcceptanceKind::Sgba)
    }
}

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Edge {
    pub label: Label,
    pub target: u32,
    pub marks: Marks,
}

#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct State {
    pub edges: Vec<Edge>,
}

/// A Büchi automaton over the valuations of its propositions; bit `i` of a letter is proposition `i`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Automaton {
    /// What the automaton was made from, for people.
    pub name: Option<String>,
    pub propositions: Vec<String>,
    pub initial: u32,
    pub states: Vec<State>,
    /// The number of acceptance sets.
    pub sets: u32,
    pub kind: AcceptanceKind,
}

impl Automaton {
    pub fn edges(&self, state: u32) -> &[Edge] {
        &self.states[state as usize].edges
    }

    /// The edges of a state that read a letter.
    pub fn successors(&self, state: u32, letter: Valuation) -> impl Iterator<Item = &Edge> {
        self.edges(state).iter().filter(move |edge| edge.label.matches(letter))
    }

    /// The marks of a state of a state-based automaton.
    pub fn state_marks(&self, state: u32) -> Marks {
        self.edges(state).first().map_or(Marks::NONE, |edge| edge.marks)
    }

    pub fn edge_count(&self) -> usize {
        self.states.iter().map(|state| state.edges.len()).sum()
    }

    /// Whether no state has two edges that read the same letter.
    pub fn is_deterministic(&self) -> bool {
        let mut manager = crate::bdd::BddManager::new();
        self.states.iter().all(|state| {
            let mut seen = crate::bdd::Bdd::FALSE;
            state.edges.iter().all(|edge| {
                let label = edge.label.to_bdd(&mut manager);
                let fresh = manager.disjoint(seen, label);
                seen = manager.or(seen, label);
                fresh
            })
        })
    }

    /// Transitions as Spot counts them: each edge once per valuation, of the propositions the automaton
    /// registers, that its label admits.
    pub fn transition_count(&self) -> u128 {
        let mut manager = crate::bdd::BddManager::new();
        let propositions = self.propositions.len() as u32;
        let labels = self.states.iter().flat_map(|state| &state.edges).map(|edge| &edge.label);
        labels
            .map(|label| label.to_bdd(&mut manager))
            .collect::<Vec<_>>()
            .into_iter()
            .map(|bdd| manager.count(bdd, propositions))
            .sum()
    }
}
