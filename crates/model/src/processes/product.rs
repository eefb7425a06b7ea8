//! The product of a process with its instances and a property.
//!
//! A state of the product is the automaton's state, the number of words of the explorer's state, and those words, filled
//! up with zeros to the width of the store. A run may stop wherever the process may end; it then repeats its last state.

use process::{Explorer, Successor};
use search::{
    Edge, Expansion, Fault, FaultClass, FaultKind, Halt, INVALID_END_STATE, Marks, Product, StateId,
    accepting_sinks,
};
use store::{Expanded, Inserted, TreeStore};
use temporal::Automaton;
use verdict::{Limits, Reason};

/// The words in front of the explorer's own: the automaton's state, and how many words follow.
const PREFIX: usize = 2;
/// The width that a store begins with.
const FIRST_WIDTH: usize = 8;

/// A run ends where the contract is false.
pub(super) const FALSE_CONTRACT: FaultKind = FaultKind { class: FaultClass::Assertion, code: 0 };

pub(super) struct ProcessProduct<'m> {
    pub(super) explorer: Explorer<'m>,
    /// The automaton, and for each of its propositions the number of the condition. None: the search is for ends.
    watched: Option<(&'m Automaton, Vec<usize>)>,
    sinks: Vec<bool>,
    store: TreeStore,
    base: Expanded,
    vectors: Vec<u32>,
    inserted: Vec<Inserted>,
    successors: Vec<Successor>,
    initial: Option<Vec<StateId>>,
    /// States that were seen to be ends.
    is_end: Vec<bool>,
    /// Only a false contract counts; what cannot be answered is left out.
    looks_for_refutation: bool,
    /// The first thing that was left out, and why.
    left_out: Option<String>,
}

impl<'m> ProcessProduct<'m> {
    pub(super) fn new(
        explorer: Explorer<'m>,
        watched: Option<(&'m Automaton, Vec<usize>)>,
        limits: &Limits,
    ) -> ProcessProduct<'m> {
        let mut store = TreeStore::new(FIRST_WIDTH);
        if let Some(bytes) = limits.max_memory_bytes {
            store.set_memory_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        ProcessProduct {
            explorer,
            sinks: watched.as_ref().map_or(Vec::new(), |(automaton, _)| accepting_sinks(automaton)),
            watched,
            store,
            base: Expanded::new(),
            vectors: Vec::new(),
            inserted: Vec::new(),
            successors: Vec::new(),
            initial: None,
            is_end: Vec::new(),
            looks_for_refutation: false,
            left_out: None,
        }
    }

    /// A product in which only ends with a false contract are faults; what cannot be answered is left out, so that nothing
    /// follows where none is found.
    pub(super) fn to_refute(explorer: Explorer<'m>, limits: &Limits) -> ProcessProduct<'m> {
        ProcessProduct { looks_for_refutation: true, ..ProcessProduct::new(explorer, None, limits) }
    }

    /// What was left out first, and why.
    pub(super) fn left_out(&self) -> Option<&str> {
        self.left_out.as_deref().or(self.explorer.obstacle())
    }

    /// How many states were seen in which a run may end.
    pub(super) fn ends(&self) -> u64 {
        self.is_end.iter().filter(|is_end| **is_end).count() as u64
    }

    /// The explorer's part of a stored state.
    pub(super) fn state(&mut self, state: StateId) -> Vec<u32> {
        self.store.load(state, &mut self.base);
        let words = self.base.words();
        let length = (words[1] as usize).min(words.len() - PREFIX);
        words[PREFIX..PREFIX + length].to_vec()
    }

    /// The automaton's moves in a state: target and marks. Without an automaton there is one, without marks.
    fn moves(&mut self, state: &[u32], at: u32) -> Result<Vec<(u32, Marks)>, Halt> {
        let Some((automaton, atoms)) = &self.watched else { return Ok(vec![(0, Marks::NONE)]) };
        let mut letter = 0_u64;
        for (bit, atom) in atoms.iter().enumerate() {
            letter |= u64::from(self.explorer.holds(state, *atom).map_err(unanswered)?) << bit;
        }
        let edges = automaton.successors(at, letter);
        Ok(edges.map(|edge| (edge.target, Marks(u64::from(edge.marks.0)))).collect())
    }

    /// Stores the states in `successors` for each of some states of the automaton; their numbers are in `inserted`.
    fn insert(&mut self, near: Option<StateId>, moves: &[(u32, Marks)]) -> Result<(), Halt> {
        let longest = self.successors.iter().map(|it| it.words.len()).max().unwrap_or(0) + PREFIX;
        if longest > self.store.width() {
            self.store.grow_width(longest.max(self.store.width() * 2))?;
        }
        let width = self.store.width();
        self.vectors.clear();
        for successor in &self.successors {
            for (at, _) in moves {
                let end = self.vectors.len() + width;
                self.vectors.extend([*at, successor.words.len() as u32]);
                self.vectors.extend_from_slice(&successor.words);
                self.vectors.resize(end, 0);
            }
        }
        match near {
            Some(state) => self.store.load(state, &mut self.base),
            None => self.base = Expanded::new(),
        }
        self.inserted.clear();
        self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
        Ok(())
    }

    fn note_end(&mut self, state: StateId, is_end: bool) {
        let index = state.index();
        if self.is_end.len() <= index {
            self.is_end.resize(index + 1, false);
        }
        self.is_end[index] = is_end;
    }
}

/// Nobody knows how the process goes on.
fn unanswered(sentence: String) -> Halt {
    Halt(Reason::Unsupported(sentence))
}

impl Product for ProcessProduct<'_> {
    fn acceptance_sets(&self) -> u32 {
        self.watched.as_ref().map_or(0, |(automaton, _)| automaton.sets)
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        let states = self.explorer.initial().map_err(unanswered)?;
        let start = self.watched.as_ref().map_or(0, |(automaton, _)| automaton.initial);
        let mut initial = Vec::with_capacity(states.len());
        for words in states {
            self.successors.clear();
            self.successors.push(Successor::begin(words));
            self.insert(None, &[(start, Marks::NONE)])?;
            initial.extend(self.inserted.iter().map(|inserted| inserted.state));
        }
        initial.sort_unstable();
        initial.dedup();
        self.initial = Some(initial.clone());
        Ok(initial)
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        match self.expand_state(state, out) {
            Err(Halt(Reason::Unsupported(sentence))) if self.looks_for_refutation => {
                out.clear();
                self.left_out.get_or_insert(sentence);
                Ok(())
            }
            expanded => expanded,
        }
    }

    fn stored(&self) -> usize {
        self.store.len()
    }

    fn memory_bytes(&self) -> usize {
        self.store.memory_bytes() + self.explorer.memory_bytes()
    }
}

impl ProcessProduct<'_> {
    fn expand_state(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let here = self.state(state);
        let at = self.base.words()[0];
        let mut successors = std::mem::take(&mut self.successors);
        let found = self.explorer.successors(&here, &mut successors);
        self.successors = successors;
        found.map_err(unanswered)?;
        let may_end = self.explorer.may_end(&here).map_err(unanswered)?;
        if self.watched.is_none() {
            self.note_end(state, may_end);
            if may_end {
                if self.explorer.failing(&here).map_err(unanswered)?.is_some() {
                    out.faults.push(Fault { kind: FALSE_CONTRACT, edge: None });
                }
            } else if self.successors.is_empty() && !self.looks_for_refutation {
                out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
            }
        } else if may_end || self.successors.is_empty() {
            self.successors.push(Successor::begin(here.clone()));
        }
        out.accepting_sink = self.sinks.get(at as usize) == Some(&true);
        let moves = self.moves(&here, at)?;
        self.insert(Some(state), &moves)?;
        let marks = moves.iter().map(|(_, marks)| *marks).cycle();
        let edges = self.inserted.iter().zip(marks);
        out.edges.extend(edges.map(|(inserted, marks)| Edge { target: inserted.state, marks }));
        Ok(())
    }
}
