//! States of products with an automaton, kept as words of any length.
//!
//! A stored state is the automaton's state, the number of words of the model's state, and those words, filled up with
//! zeros to the width of the store. The width grows where a state needs more.

use search::{Changes, Halt, StateId};
use store::{Expanded, Inserted, TreeStore};
use verdict::Limits;

/// The words in front of the model's own: the automaton's state, and how many words follow.
const PREFIX: usize = 2;
/// The width that a store begins with.
const FIRST_WIDTH: usize = 8;

pub(crate) struct WordStore {
    store: TreeStore,
    base: Expanded,
    vectors: Vec<u32>,
    inserted: Vec<Inserted>,
}

impl WordStore {
    pub(crate) fn new(limits: &Limits) -> WordStore {
        WordStore::of(TreeStore::new(FIRST_WIDTH), limits)
    }

    /// A store for states of the model with so many words, where it was seen which of these change together.
    pub(crate) fn for_changes(limits: &Limits, words: usize, changes: &Changes) -> WordStore {
        let width = (PREFIX + words).max(FIRST_WIDTH);
        WordStore::of(TreeStore::with_order(width, changes.order(0, PREFIX)), limits)
    }

    fn of(mut store: TreeStore, limits: &Limits) -> WordStore {
        if let Some(bytes) = limits.max_memory_bytes {
            store.set_memory_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        WordStore { store, base: Expanded::new(), vectors: Vec::new(), inserted: Vec::new() }
    }

    /// Another worker's hold on the same states.
    pub(crate) fn another(&mut self) -> Result<WordStore, Halt> {
        let store = self.store.another()?;
        Ok(WordStore { store, base: Expanded::new(), vectors: Vec::new(), inserted: Vec::new() })
    }

    /// A stored state: the automaton's, and the words of the model's.
    pub(crate) fn load(&mut self, state: StateId) -> (u32, &[u32]) {
        self.store.load(state, &mut self.base);
        let words = self.base.words();
        let length = (words[1] as usize).min(words.len() - PREFIX);
        (words[0], &words[PREFIX..PREFIX + length])
    }

    /// Adds the states in which runs begin, with the state in which the automaton begins; gives each of them once, in
    /// order.
    pub(crate) fn insert_initial<'s>(
        &mut self,
        states: impl Iterator<Item = &'s [u32]> + Clone,
        automaton: u32,
    ) -> Result<Vec<StateId>, Halt> {
        let stored = self.insert(None, states, std::iter::once(automaton))?;
        let mut initial: Vec<StateId> = stored.iter().map(|inserted| inserted.state).collect();
        initial.sort_unstable();
        initial.dedup();
        Ok(initial)
    }

    /// Stores each of some states of the model with each of some states of the automaton, and gives what was stored in
    /// this order. What is `near` is a stored state that is mostly the same.
    pub(crate) fn insert<'s>(
        &mut self,
        near: Option<StateId>,
        states: impl Iterator<Item = &'s [u32]> + Clone,
        automaton: impl Iterator<Item = u32> + Clone,
    ) -> Result<&[Inserted], Halt> {
        let longest = states.clone().map(<[u32]>::len).max().unwrap_or(0) + PREFIX;
        if longest > self.store.width() {
            self.store.grow_width(longest.max(self.store.width() * 2))?;
        }
        self.vectors.clear();
        for words in states {
            for at in automaton.clone() {
                let end = self.vectors.len() + self.store.width();
                self.vectors.extend([at, words.len() as u32]);
                self.vectors.extend_from_slice(words);
                self.vectors.resize(end, 0);
            }
        }
        match near {
            // Without a safe point, behind which the width might be another one.
            Some(state) => self.store.load_again(state, &mut self.base),
            None => self.base = Expanded::new(),
        }
        self.inserted.clear();
        self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
        Ok(&self.inserted)
    }

    pub(crate) fn len(&self) -> usize {
        self.store.len()
    }

    /// A number above those of all stored states.
    pub(crate) fn bound(&self) -> usize {
        self.store.bound()
    }

    /// All stored states, in the order of their numbers. No other worker may be at work.
    pub(crate) fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        self.store.states()
    }

    /// To be called by a worker that waits for others, who may be about to make states wider.
    pub(crate) fn rest(&mut self) {
        self.store.pass_safe_point();
    }

    pub(crate) fn memory_bytes(&self) -> usize {
        self.store.memory_bytes()
    }
}
