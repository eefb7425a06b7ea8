//! The product of an explored model and a property.
//!
//! A state of the product is the automaton's state, the number of words of the model's state, and those words, filled
//! up with zeros to the width of the store. An edge is a step of the model together with an edge of the automaton whose
//! label fits the state that the step leaves. A run that ends is continued by repeating its last state, if the property
//! is about runs.

use search::{Edge, Expansion, Fault, Halt, INVALID_END_STATE, Marks, Product, StateId, accepting_sinks};
use store::{Expanded, Inserted, TreeStore};
use temporal::Automaton;
use verdict::{Limits, Reason};

use super::{Explored, Step};
use crate::port::AtomId;

/// The words in front of the model's own: the automaton's state, and how many words follow.
const PREFIX: usize = 2;
/// The width that a store begins with.
const FIRST_WIDTH: usize = 8;

/// An automaton and what its propositions mean.
pub(super) struct Watched<'m> {
    pub(super) automaton: &'m Automaton,
    pub(super) atoms: Vec<AtomId>,
}

pub(super) struct ExploredProduct<'m, E: Explored> {
    model: &'m E,
    /// None: the search is for states where a run may not end.
    watched: Option<Watched<'m>>,
    sinks: Vec<bool>,
    store: TreeStore,
    base: Expanded,
    vectors: Vec<u32>,
    inserted: Vec<Inserted>,
    initial: Option<Vec<StateId>>,
}

impl<'m, E: Explored> ExploredProduct<'m, E> {
    pub(super) fn new(model: &'m E, watched: Option<Watched<'m>>, limits: &Limits) -> ExploredProduct<'m, E> {
        let mut store = TreeStore::new(FIRST_WIDTH);
        if let Some(bytes) = limits.max_memory_bytes {
            store.set_memory_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        ExploredProduct {
            model,
            sinks: watched.as_ref().map_or(Vec::new(), |watched| accepting_sinks(watched.automaton)),
            watched,
            store,
            base: Expanded::new(),
            vectors: Vec::new(),
            inserted: Vec::new(),
            initial: None,
        }
    }

    /// The model's part of a stored state.
    pub(super) fn state(&mut self, state: StateId) -> E::State {
        self.store.load(state, &mut self.base);
        let words = self.base.words();
        let length = (words[1] as usize).min(words.len() - PREFIX);
        self.model.decode(&words[PREFIX..PREFIX + length])
    }

    /// The automaton's moves in a state: target and marks. Without an automaton there is one, without marks.
    fn moves(&self, state: &E::State, at: u32) -> Result<Vec<(u32, Marks)>, Halt> {
        let Some(watched) = &self.watched else { return Ok(vec![(0, Marks::NONE)]) };
        let mut letter = 0_u64;
        for (bit, atom) in watched.atoms.iter().enumerate() {
            letter |= u64::from(self.model.holds(state, *atom).map_err(unanswered)?) << bit;
        }
        let edges = watched.automaton.successors(at, letter);
        Ok(edges.map(|edge| (edge.target, Marks(u64::from(edge.marks.0)))).collect())
    }

    /// Stores pairs of automaton states and model states; their numbers are in `inserted` afterwards.
    fn insert<'s>(
        &mut self,
        near: Option<StateId>,
        pairs: impl Iterator<Item = (u32, &'s E::State)>,
    ) -> Result<(), Halt>
    where
        E::State: 's,
    {
        let mut encoded: Vec<Vec<u32>> = Vec::new();
        for (at, state) in pairs {
            let mut words = vec![at, 0];
            self.model.encode(state, &mut words);
            words[1] = (words.len() - PREFIX) as u32;
            // Two states with the same words would be one to the search, and what only one of them does would be lost.
            debug_assert!(self.model.decode(&words[PREFIX..]) == *state, "a state is not what its words say");
            encoded.push(words);
        }
        let needed = encoded.iter().map(Vec::len).max().unwrap_or(0);
        if needed > self.store.width() {
            self.store.grow_width(needed.max(self.store.width() * 2))?;
        }
        self.vectors.clear();
        for words in &encoded {
            self.vectors.extend_from_slice(words);
            self.vectors.resize(self.vectors.len() + self.store.width() - words.len(), 0);
        }
        match near {
            Some(state) => self.store.load(state, &mut self.base),
            None => self.base = Expanded::new(),
        }
        self.inserted.clear();
        self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
        Ok(())
    }
}

/// The language cannot say how the model goes on.
fn unanswered(sentence: String) -> Halt {
    Halt(Reason::Unsupported(sentence))
}

impl<E: Explored> Product for ExploredProduct<'_, E> {
    fn acceptance_sets(&self) -> u32 {
        self.watched.as_ref().map_or(0, |watched| watched.automaton.sets)
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        let states = self.model.initial().map_err(unanswered)?;
        let start = self.watched.as_ref().map_or(0, |watched| watched.automaton.initial);
        self.insert(None, states.iter().map(|state| (start, state)))?;
        let mut initial: Vec<StateId> = self.inserted.iter().map(|inserted| inserted.state).collect();
        initial.sort_unstable();
        initial.dedup();
        self.initial = Some(initial.clone());
        Ok(initial)
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let here = self.state(state);
        let at = self.base.words()[0];
        let steps = self.model.steps(&here).map_err(unanswered)?;
        if self.watched.is_none() && steps.is_empty() && !self.model.may_end(&here) {
            out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
        }
        out.accepting_sink = self.sinks.get(at as usize) == Some(&true);
        let moves = self.moves(&here, at)?;
        let mut targets: Vec<&E::State> = steps.iter().map(|Step { target, .. }| target).collect();
        if targets.is_empty() && self.watched.is_some() {
            targets.push(&here);
        }
        let pairs = targets.iter().flat_map(|target| moves.iter().map(|(at, _)| (*at, *target)));
        self.insert(Some(state), pairs)?;
        let marks = moves.iter().map(|(_, marks)| *marks).cycle();
        let edges = self.inserted.iter().zip(marks);
        out.edges.extend(edges.map(|(inserted, marks)| Edge {
            target: inserted.state,
            marks,
            is_new: inserted.is_new,
        }));
        Ok(())
    }

    fn stored(&self) -> usize {
        self.store.len()
    }

    fn bound(&self) -> usize {
        self.store.bound()
    }

    fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
    }
}
