//! The product of a process with its instances and a property.
//!
//! A run may stop wherever the process may end; it then repeats its last state. Each worker has an explorer of its own; the
//! words of stored states mean the same to all of them.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use process::{Explorer, Successor};
use search::{
    Changes, Expansion, Fault, FaultClass, FaultKind, Halt, INVALID_END_STATE, Product, SETTLING_STEPS,
    Shared, StateId,
};
use store::SharedBits;
use store::sync::{Mutex, lock};
use verdict::{Limits, Reason};

use crate::limits;
use crate::watched::{UNWATCHED, Watched, add_edges, unanswered};
use crate::word_store::WordStore;

/// A run ends where the contract is false.
pub(super) const FALSE_CONTRACT: FaultKind = FaultKind { class: FaultClass::Assertion, code: 0 };

pub(super) struct ProcessProduct<'m> {
    pub(super) explorer: Explorer<'m>,
    /// The automaton; the explorer watches the conditions that its propositions are, in their order. None: the search is
    /// for ends.
    watched: Option<Watched<'m>>,
    store: WordStore,
    successors: Vec<Successor>,
    /// The state that is expanded.
    here: Vec<u32>,
    initial: Option<Vec<StateId>>,
    /// Only a false contract counts; what cannot be answered is left out.
    looks_for_refutation: bool,
    met: Arc<Met>,
}

/// What is to be known of a whole search, whichever worker met it.
#[derive(Default)]
struct Met {
    /// States that were seen to be ends.
    ends: SharedBits,
    /// The first thing that was left out, and why.
    left_out: Mutex<Option<String>>,
}

impl<'m> ProcessProduct<'m> {
    pub(super) fn new(
        mut explorer: Explorer<'m>,
        watched: Option<Watched<'m>>,
        limits: &Limits,
    ) -> ProcessProduct<'m> {
        let (words, changes) = first_steps(&mut explorer);
        let store = WordStore::for_changes(limits, words, &changes);
        ProcessProduct::with_store(explorer, watched, store)
    }

    fn with_store(
        explorer: Explorer<'m>,
        watched: Option<Watched<'m>>,
        store: WordStore,
    ) -> ProcessProduct<'m> {
        ProcessProduct {
            explorer,
            watched,
            store,
            successors: Vec::new(),
            here: Vec::new(),
            initial: None,
            looks_for_refutation: false,
            met: Arc::default(),
        }
    }

    /// A product in which only ends with a false contract, or what the automaton accepts, count; what cannot be answered is
    /// left out, so that little follows where nothing is found.
    pub(super) fn to_refute(
        explorer: Explorer<'m>,
        watched: Option<Watched<'m>>,
        limits: &Limits,
    ) -> ProcessProduct<'m> {
        let product = ProcessProduct::with_store(explorer, watched, WordStore::new(limits));
        ProcessProduct { looks_for_refutation: true, ..product }
    }

    /// What was left out first, and why.
    pub(super) fn left_out(&self) -> Option<String> {
        let met = lock(&self.met.left_out).clone();
        met.or_else(|| self.explorer.obstacle().map(str::to_string))
    }

    /// How many states were seen in which a run may end.
    pub(super) fn ends(&self) -> u64 {
        self.met.ends.below(self.store.bound()).len() as u64
    }

    /// The explorer's part of a stored state.
    pub(super) fn state(&mut self, state: StateId) -> Vec<u32> {
        self.store.load(state).1.to_vec()
    }
}

/// Has fields written out that are sequences of one length, and says how many words states then have and which change
/// together: as far as some steps show. Where they cannot be taken, the search will say so.
fn first_steps(explorer: &mut Explorer<'_>) -> (usize, Changes) {
    let mut steps: Vec<(Vec<u32>, Vec<u32>)> = Vec::new();
    let mut seen: HashSet<Vec<u32>> = HashSet::new();
    let mut waiting: VecDeque<Vec<u32>> = VecDeque::new();
    if explorer.instances().len() <= SETTLING_STEPS {
        waiting.extend(explorer.initial().unwrap_or_default());
    }
    let mut lengths: Vec<Option<usize>> =
        waiting.front().map_or_else(Vec::new, |it| explorer.lengths(it).collect());
    let mut successors = Vec::new();
    while let Some(state) = waiting.pop_front() {
        if steps.len() >= SETTLING_STEPS || explorer.successors(&state, &mut successors).is_err() {
            break;
        }
        for successor in &successors {
            for (known, length) in lengths.iter_mut().zip(explorer.lengths(&successor.words)) {
                *known = known.filter(|known| Some(*known) == length);
            }
            steps.push((state.clone(), successor.words.clone()));
            if seen.insert(successor.words.clone()) {
                waiting.push_back(successor.words.clone());
            }
        }
    }
    let is_short = |length: &Option<usize>| length.is_some_and(|length| length <= limits::WRITTEN_OUT);
    explorer.write_out(lengths.iter().map(is_short).collect());
    let (mut longest, mut changes) = (0, Changes::default());
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for (state, successor) in &steps {
        before.clear();
        after.clear();
        explorer.written_out(state, &mut before);
        explorer.written_out(successor, &mut after);
        longest = longest.max(before.len()).max(after.len());
        changes.see(&before, &after);
    }
    (longest, changes)
}

impl Product for ProcessProduct<'_> {
    fn acceptance_sets(&self) -> u32 {
        self.watched.as_ref().map_or(0, |watched| watched.automaton.sets)
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        let states = self.explorer.initial().map_err(unanswered)?;
        let start = self.watched.as_ref().map_or(0, |watched| watched.automaton.initial);
        let initial = self.store.insert_initial(states.iter().map(Vec::as_slice), start)?;
        self.initial = Some(initial.clone());
        Ok(initial)
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        match self.expand_state(state, out) {
            Err(Halt(Reason::Unsupported(sentence))) if self.looks_for_refutation => {
                out.clear();
                lock(&self.met.left_out).get_or_insert(sentence);
                Ok(())
            }
            expanded => expanded,
        }
    }

    fn stored(&self) -> usize {
        self.store.len()
    }

    fn bound(&self) -> usize {
        self.store.bound()
    }

    fn memory_bytes(&self) -> usize {
        self.store.memory_bytes() + self.explorer.memory_bytes()
    }

    fn discovered(&self) -> Box<dyn Iterator<Item = StateId> + '_> {
        Box::new(self.store.states())
    }

    fn rest(&mut self) {
        self.store.rest();
    }
}

impl Shared for ProcessProduct<'_> {
    fn another(&mut self) -> Result<Self, Halt> {
        Ok(ProcessProduct {
            explorer: self.explorer.another(),
            watched: self.watched.clone(),
            store: self.store.another()?,
            successors: Vec::new(),
            here: Vec::new(),
            initial: self.initial.clone(),
            looks_for_refutation: self.looks_for_refutation,
            met: Arc::clone(&self.met),
        })
    }
}

impl ProcessProduct<'_> {
    fn expand_state(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        let (at, words) = self.store.load(state);
        let mut here = std::mem::take(&mut self.here);
        here.clear();
        here.extend_from_slice(words);
        let expanded = self.expand_words(state, at, &here, out);
        self.here = here;
        expanded
    }

    fn expand_words(
        &mut self,
        state: StateId,
        at: u32,
        here: &[u32],
        out: &mut Expansion,
    ) -> Result<(), Halt> {
        self.explorer.successors(here, &mut self.successors).map_err(unanswered)?;
        let may_end = self.explorer.may_end(here).map_err(unanswered)?;
        if self.watched.is_none() {
            if may_end {
                self.met.ends.insert(state)?;
                if self.explorer.failing(here).map_err(unanswered)?.is_some() {
                    out.faults.push(Fault { kind: FALSE_CONTRACT, edge: None });
                }
            } else if self.successors.is_empty() && !self.looks_for_refutation {
                out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
            }
        } else if may_end || self.successors.is_empty() {
            self.successors.push(Successor::begin(here.to_vec()));
        }
        out.accepting_sink = self.watched.as_ref().is_some_and(|watched| watched.is_sink(at));
        let moves = match &self.watched {
            Some(watched) => watched.moves(at, |number, _| self.explorer.holds(here, number))?,
            None => Vec::new(),
        };
        let moves = if self.watched.is_none() { &[UNWATCHED][..] } else { &moves[..] };
        let targets = self.successors.iter().map(|successor| &successor.words[..]);
        let stored = self.store.insert(Some(state), targets, moves.iter().map(|(at, _)| *at))?;
        add_edges(stored, moves, out);
        Ok(())
    }
}
