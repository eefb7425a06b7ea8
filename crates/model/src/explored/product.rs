//! The product of an explored model and a property.
//!
//! An edge is a step of the model together with an edge of the automaton whose label fits the state that the step
//! leaves. A run that ends is continued by repeating its last state, if the property is about runs.

use search::{Expansion, Fault, Halt, INVALID_END_STATE, Product, StateId};
use verdict::Limits;

use super::{Explored, Step};
use crate::watched::{Move, UNWATCHED, Watched, add_edges, unanswered};
use crate::word_store::WordStore;

pub(super) struct ExploredProduct<'m, E: Explored> {
    model: &'m E,
    /// None: the search is for states where a run may not end.
    watched: Option<Watched<'m>>,
    store: WordStore,
    initial: Option<Vec<StateId>>,
}

impl<'m, E: Explored> ExploredProduct<'m, E> {
    pub(super) fn new(model: &'m E, watched: Option<Watched<'m>>, limits: &Limits) -> ExploredProduct<'m, E> {
        ExploredProduct { model, watched, store: WordStore::new(limits), initial: None }
    }

    /// The model's part of a stored state.
    pub(super) fn state(&mut self, state: StateId) -> E::State {
        self.model.decode(self.store.load(state).1)
    }

    /// The automaton's moves in a state.
    fn moves(&self, state: &E::State, at: u32) -> Result<Vec<Move>, Halt> {
        let Some(watched) = &self.watched else { return Ok(vec![UNWATCHED]) };
        watched.moves(at, |_, atom| self.model.holds(state, atom))
    }

    /// The words of a state.
    fn encoded(&self, state: &E::State) -> Vec<u32> {
        let mut words = Vec::new();
        self.model.encode(state, &mut words);
        // Two states with the same words would be one to the search, and what only one of them does would be lost.
        debug_assert!(self.model.decode(&words) == *state, "a state is not what its words say");
        words
    }
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
        let encoded: Vec<Vec<u32>> = states.iter().map(|state| self.encoded(state)).collect();
        let start = self.watched.as_ref().map_or(0, |watched| watched.automaton.initial);
        let initial = self.store.insert_initial(encoded.iter().map(Vec::as_slice), start)?;
        self.initial = Some(initial.clone());
        Ok(initial)
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let (at, words) = self.store.load(state);
        let here = self.model.decode(words);
        let steps = self.model.steps(&here).map_err(unanswered)?;
        if self.watched.is_none() && steps.is_empty() && !self.model.may_end(&here) {
            out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
        }
        out.accepting_sink = self.watched.as_ref().is_some_and(|watched| watched.is_sink(at));
        let moves = self.moves(&here, at)?;
        let mut targets: Vec<Vec<u32>> =
            steps.iter().map(|Step { target, .. }| self.encoded(target)).collect();
        if targets.is_empty() && self.watched.is_some() {
            targets.push(self.encoded(&here));
        }
        let targets = targets.iter().map(Vec::as_slice);
        let stored = self.store.insert(Some(state), targets, moves.iter().map(|(at, _)| *at))?;
        add_edges(stored, &moves, out);
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
