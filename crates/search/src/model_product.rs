//! The product of a model and a property: what the searches search when a model is checked.
//!
//! A state is a state of the model, with the automaton's state in front where there is an automaton. An
//! edge of the product is a step of the model together with an edge of the automaton whose label fits the
//! state the step leaves. A run of the model that ends is continued by repeating its last state (the
//! stuttering extension), except where the property is about progress.
//!
//! A step leads from ordinary state to ordinary state: what is between, inside an atomic sequence, nobody
//! sees. But a sequence that never ends is a run, too, and then all it visits is seen. A product that looks
//! for infinite runs stops where it meets one ([`ModelProduct::divergence`]); one that is told to
//! [`ProductOptions::open`] atomic sequences goes along inside. It must be given a model whose statements
//! are not merged: its states are those between statements.

mod automaton;
mod frozen;
mod replay;
mod vectors;

pub use automaton::accepting_sinks;

use std::io::Read;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;

use store::sync::{AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use store::{Expanded, Inserted, StateId, ThawError, TreeStore};
use temporal::Automaton;
use transition::compiled::{Divergence, PidSet, PropositionId, Reduction, Successors, System};
use transition::model;
use transition::reduction::Construction;
use verdict::{Limits, Reason};

use crate::changes::Changes;
use crate::endless::{Endless, NoAnswer};
use crate::kept::Frozen;
use crate::limits;
use crate::product::{Edge, Expansion, Fault, FaultClass, FaultKind, Halt, Marks, Product, Shared};

/// What infinite runs are to be found.
pub enum Acceptance {
    /// None: the search is for faults.
    None,
    /// Those that visit accepting locations again and again.
    Locations,
    /// Those that the automaton accepts. Each proposition of the automaton is an expression.
    Automaton { automaton: Automaton, propositions: Vec<PropositionId> },
}

/// How a model is turned into a product.
pub struct ProductOptions {
    pub acceptance: Acceptance,
    /// Continue runs that end.
    pub stutter: bool,
    /// A state where nothing can move and some process may not rest is a fault.
    pub check_end_states: bool,
    /// Such a state is valid only if all channels are empty, too.
    pub strict_ends: bool,
    /// Only runs in which every process that stays executable moves again and again.
    pub weak_fairness: bool,
    /// Follow runs that stay inside an atomic sequence or a deterministic block for ever.
    pub open: bool,
    pub reduction: Option<Reduction>,
}

/// The code of a fault that is a state nobody can leave.
pub const INVALID_END_STATE: FaultKind = FaultKind { class: FaultClass::InvalidEndState, code: u32::MAX };

/// A state where the automaton's moves depend on a proposition that has no value there. The product has no run
/// that goes on from it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Valueless {
    pub state: StateId,
    /// Which proposition of the automaton.
    pub proposition: usize,
    pub fault: model::Fault,
}

pub struct ModelProduct {
    system: System,
    options: Arc<ProductOptions>,
    store: TreeStore,
    base: Expanded,
    successors: Successors,
    inserted: Vec<Inserted>,
    /// Vectors of the product, built here where an automaton's state goes in front.
    vectors: Vec<u32>,
    state: Vec<u32>,
    /// The words in front of it: the automaton's state, and who is in exclusive control.
    front: [u32; 2],
    /// Words in front of the model's own.
    prefix: usize,
    initial: Option<Vec<StateId>>,
    fault: Option<model::Fault>,
    /// For each automaton state: is it an accepting sink?
    sinks: Arc<[bool]>,
    matching: Vec<(u32, u64)>,
    /// What some worker met that the answer depends on.
    met: Arc<Mutex<Met>>,
    /// Acceptance sets of the automaton or of accepting locations; those of fairness come after them.
    own_sets: u32,
    limits: Limits,
    /// What the store holds, for whoever asks inside an expansion.
    held: Arc<AtomicUsize>,
    endless: Endless,
    /// Of the loaded state: the internal states that come next in a run that stays inside.
    inside: Vec<Inside>,
    inner: Successors,
}

/// What is to be known of a whole search, whichever worker met it.
#[derive(Default)]
struct Met {
    /// A state where a proposition has no value and needs one: the first that was met.
    valueless: Option<Valueless>,
    divergence: Option<Divergence>,
    /// Where that was met, if it is stored.
    diverges_at: Option<StateId>,
}

/// What leaves the loaded state.
enum Made {
    /// No edge.
    Nothing,
    /// The run has ended: it stays where it is.
    Loop(Marks),
    /// The successors, which have no words in front; `own`: the marks of all of them.
    Steps { own: u64 },
    /// Each successor, or the state itself where the run has ended, with each move of the automaton.
    Moves { stutters: bool },
    /// The automaton's moves depend on a proposition that has no value.
    Undecided { proposition: usize, fault: model::Fault },
}

/// A successor inside an atomic sequence: its words, who is in control, the marks of fairness.
struct Inside {
    words: Vec<u32>,
    pid: u8,
    fair: u64,
}

impl ModelProduct {
    /// The limits hold inside one expansion, too.
    pub fn new(mut system: System, options: ProductOptions, limits: &Limits) -> ModelProduct {
        let asked = limits.clone();
        let held = Arc::new(AtomicUsize::new(0));
        let stored = Arc::clone(&held);
        system.set_patience(Some(Arc::new(move |bytes| {
            exceeded(&asked, bytes + stored.load(Ordering::Relaxed)).is_none()
        })));
        // Processes are mostly created in the first steps: a store that is wide enough need not grow.
        let mut changes = Changes::default();
        system.settle_width(limits::SETTLING_STEPS, |state, successors| {
            successors.iter().for_each(|(_, successor)| changes.see(state, successor));
        });
        let (prefix, own_sets) = match &options.acceptance {
            Acceptance::None => (0, 0),
            Acceptance::Locations => (0, 1),
            Acceptance::Automaton { automaton, .. } => (2, automaton.sets),
        };
        let prefix = if options.open { 2 } else { prefix };
        let sinks = match &options.acceptance {
            Acceptance::Automaton { automaton, .. } => accepting_sinks(automaton),
            _ => Vec::new(),
        };
        let order = changes.order(system.hidden_words(), prefix);
        let mut store = TreeStore::with_order(system.width() - system.hidden_words() + prefix, order);
        if let Some(bytes) = limits.max_memory_bytes {
            store.set_memory_limit(usize::try_from(bytes).unwrap_or(usize::MAX));
        }
        ModelProduct {
            system,
            options: Arc::new(options),
            store,
            base: Expanded::new(),
            successors: Successors::new(),
            inserted: Vec::new(),
            vectors: Vec::new(),
            state: Vec::new(),
            front: [0; 2],
            prefix,
            initial: None,
            fault: None,
            sinks: sinks.into(),
            matching: Vec::new(),
            met: Arc::default(),
            own_sets,
            limits: limits.clone(),
            held,
            endless: Endless::default(),
            inside: Vec::new(),
            inner: Successors::new(),
        }
    }

    /// Where an atomic sequence or a deterministic block was met that need not end. Unless it is opened, a
    /// search for infinite runs stops there.
    pub fn divergence(&self) -> Option<Divergence> {
        self.met().divergence
    }

    fn met(&self) -> MutexGuard<'_, Met> {
        lock(&self.met)
    }

    /// Is the state inside an atomic sequence that is never left?
    pub fn is_inside(&mut self, state: StateId) -> bool {
        self.load(state);
        self.control().is_some()
    }

    /// Who is in exclusive control in the loaded state.
    fn control(&self) -> Option<u8> {
        if !self.options.open {
            return None;
        }
        self.front[1].checked_sub(1).map(|pid| pid as u8)
    }

    /// What went wrong while the model's variables got their first values.
    pub fn initial_fault(&self) -> Option<model::Fault> {
        self.fault
    }

    /// Where the search did not look further, because the property says nothing about what comes then.
    pub fn valueless(&self) -> Option<Valueless> {
        self.met().valueless
    }

    /// All stored states, in the order of their numbers. No other worker may be at work.
    pub fn states(&self) -> impl Iterator<Item = StateId> + use<> {
        self.store.states()
    }

    pub fn system(&mut self) -> &mut System {
        &mut self.system
    }

    /// The model's part of a state.
    pub fn model_state(&mut self, state: StateId) -> Vec<u32> {
        self.load(state);
        self.state.clone()
    }

    fn load(&mut self, state: StateId) {
        self.store.load(state, &mut self.base);
        self.follow_width();
        self.front[..self.prefix].copy_from_slice(&self.base.words()[..self.prefix]);
        self.state.clear();
        // Hidden words are never read by a model that has any, so they need not be kept.
        self.state.resize(self.system.hidden_words(), 0);
        self.state.extend_from_slice(&self.base.words()[self.prefix..]);
        self.state.resize(self.system.width(), 0);
    }

    /// The successors of the loaded state, with the store made wider where they need it.
    fn generate(&mut self) -> Result<(), Halt> {
        if self.limits.max_memory_bytes.is_some() {
            self.held.store(self.store.memory_bytes(), Ordering::Relaxed);
        }
        loop {
            self.system.successors(&self.state, self.options.reduction.as_ref(), &mut self.successors);
            if self.successors.gave_up {
                return Err(self.gave_up());
            }
            let Some(needed) = self.successors.needs_width else { return Ok(()) };
            self.widen(needed)?;
        }
    }

    /// Takes over the width that another worker has given to all vectors.
    fn follow_width(&mut self) {
        let width = self.store.width() - self.prefix + self.system.hidden_words();
        if self.system.width() < width {
            self.system.widen(width);
            self.endless.forget();
        }
    }

    fn widen(&mut self, needed: usize) -> Result<(), Halt> {
        let width = needed.max(self.system.width() * 2).next_multiple_of(2);
        self.store.grow_width(width - self.system.hidden_words() + self.prefix)?;
        // Another worker may have asked for more.
        self.follow_width();
        self.state.resize(self.system.width(), 0);
        Ok(())
    }

    /// The limit that ended an expansion.
    fn gave_up(&self) -> Halt {
        Halt(exceeded(&self.limits, 0).unwrap_or(Reason::MemoryLimit))
    }

    /// The successors of the loaded state, and those inside atomic sequences that are never left.
    fn generate_open(&mut self) -> Result<(), Halt> {
        loop {
            match self.control() {
                Some(_) => self.successors = Successors::new(),
                None => self.generate()?,
            }
            if self.control().is_none() && self.successors.diverges.is_none() {
                return Ok(());
            }
            let width = self.system.width();
            self.look_inside()?;
            // Where vectors have become wider, the ordinary ones must, too.
            if self.system.width() == width {
                return Ok(());
            }
        }
    }

    /// The internal states that come next in runs that stay inside for ever.
    fn look_inside(&mut self) -> Result<(), Halt> {
        let holder = self.control();
        loop {
            self.inside.clear();
            self.system.inner_successors(&self.state, holder, &mut self.inner);
            if self.inner.gave_up {
                return Err(self.gave_up());
            }
            let mut needed = self.inner.needs_width;
            for index in 0..self.inner.len() {
                let Some(pid) = self.inner.control(index) else { continue };
                match self.endless.can_stay(&mut self.system, self.inner.vector(index), pid) {
                    Ok(false) => {}
                    Ok(true) => self.inside.push(Inside {
                        words: self.inner.vector(index).to_vec(),
                        pid,
                        // Nobody else can move while a process is in exclusive control.
                        fair: match holder {
                            Some(_) => self.all_fair(),
                            None => self.fairness_marks(&self.inner, index),
                        },
                    }),
                    Err(NoAnswer::GaveUp) => return Err(self.gave_up()),
                    Err(NoAnswer::NeedsWidth(width)) => needed = Some(width),
                }
            }
            let Some(needed) = needed else { return Ok(()) };
            self.widen(needed)?;
        }
    }

    /// Does every run end in the loaded state? Nothing can move, or whatever does has no meaning: a run that
    /// ends with an error is a run as far as it went.
    fn comes_to_a_stop(&self) -> bool {
        self.control().is_none() && self.successors.is_empty() && self.successors.diverges.is_none()
    }

    /// The marks of a run that ended, or in which nobody else can move.
    fn all_fair(&self) -> u64 {
        if self.options.weak_fairness { u64::MAX.checked_shl(self.own_sets).unwrap_or(0) } else { 0 }
    }

    /// The marks of fairness on a step: whoever moved, could not move, or does not exist.
    fn fairness_marks(&self, successors: &Successors, index: usize) -> u64 {
        if !self.options.weak_fairness {
            return 0;
        }
        fairness_marks(self.own_sets..u64::BITS, &self.successors.executable, successors, index)
    }

    fn store_state(&mut self, prefix: u32, state: &[u32]) -> Result<StateId, Halt> {
        let mut words = Vec::with_capacity(state.len() + self.prefix);
        words.extend([prefix, 0].into_iter().take(self.prefix));
        words.extend_from_slice(&state[self.system.hidden_words()..]);
        Ok(self.store.insert(&words)?.state)
    }

    /// Puts the vectors of all edges one after another.
    fn collect_vectors(&mut self, stutters: bool) {
        let hidden = self.system.hidden_words();
        self.vectors.clear();
        let count = if stutters { 1 } else { self.successors.len() };
        for index in 0..count {
            let words = if stutters { &self.state[..] } else { self.successors.vector(index) };
            if self.prefix == 0 {
                self.vectors.extend_from_slice(&words[hidden..]);
            }
            for (target, _) in &self.matching {
                self.vectors.extend([*target, 0]);
                self.vectors.extend_from_slice(&words[hidden..]);
            }
        }
        for inside in &self.inside {
            for (target, _) in &self.matching {
                self.vectors.extend([*target, u32::from(inside.pid) + 1]);
                self.vectors.extend_from_slice(&inside.words[hidden..]);
            }
        }
    }

    /// Computes what leaves the loaded state, and what is wrong with it.
    /// `state` is its number, if it is stored.
    fn make(&mut self, state: Option<StateId>, out: &mut Expansion) -> Result<Made, Halt> {
        self.inside.clear();
        if self.options.open {
            self.generate_open()?;
        } else {
            self.generate()?;
        }
        self.report_faults(out);
        if self.options.weak_fairness
            && self.system.process_count(&self.state) > (u64::BITS - self.own_sets) as usize
        {
            let message = format!("weak fairness is limited to {} processes", u64::BITS - self.own_sets);
            return Err(Halt(Reason::Unsupported(message)));
        }
        if let Some(found) = self.successors.diverges {
            let mut met = self.met();
            let before = met.divergence;
            met.divergence = Divergence::or_sequence(before, Some(found));
            if met.divergence != before {
                met.diverges_at = state;
            }
        }
        let is_endless = self.successors.diverges.is_some() && !self.options.open;
        let stutters = self.options.stutter && self.comes_to_a_stop();
        if self.prefix == 0 {
            let own = match self.options.acceptance {
                Acceptance::Locations if is_endless => return Err(not_opened()),
                Acceptance::Locations if self.system.is_accepting(&self.state) => 1,
                _ => 0,
            };
            let stay = || Made::Loop(Marks(own | self.all_fair()));
            return Ok(if stutters { stay() } else { Made::Steps { own } });
        }
        let at = self.front[0];
        out.accepting_sink = self.sinks.get(at as usize) == Some(&true);
        if let Some((proposition, fault)) = self.automaton_moves(at) {
            return Ok(Made::Undecided { proposition, fault });
        }
        if self.matching.is_empty() {
            return Ok(Made::Nothing);
        }
        if is_endless {
            return Err(not_opened());
        }
        Ok(Made::Moves { stutters })
    }

    fn report_faults(&mut self, out: &mut Expansion) {
        if !self.successors.faults.is_empty() {
            out.faults.extend(
                self.successors
                    .faults
                    .iter()
                    .map(|fault| Fault { kind: fault_kind(fault.fault), edge: None }),
            );
        }
        if !self.options.check_end_states || !self.successors.deadlock {
            return;
        }
        let is_valid = self.successors.valid_end
            && (!self.options.strict_ends
                || self
                    .system
                    .snapshot(&self.state)
                    .channels
                    .iter()
                    .all(|channel| channel.messages.is_empty()));
        if !is_valid {
            out.faults.push(Fault { kind: INVALID_END_STATE, edge: None });
        }
    }
}

impl Product for ModelProduct {
    fn acceptance_sets(&self) -> u32 {
        if self.options.weak_fairness { Marks::MAXIMUM } else { self.own_sets }
    }

    fn initial(&mut self) -> Result<Vec<StateId>, Halt> {
        if let Some(initial) = &self.initial {
            return Ok(initial.clone());
        }
        let state = match self.system.initial() {
            Ok(state) => state,
            Err(fault) => {
                self.fault = Some(fault);
                return Err(Halt(Reason::Unsupported("the initial state cannot be built".to_string())));
            }
        };
        self.store.grow_width(self.system.width() - self.system.hidden_words() + self.prefix)?;
        let start = match &self.options.acceptance {
            Acceptance::Automaton { automaton, .. } => automaton.initial,
            _ => 0,
        };
        let initial = vec![self.store_state(start, &state)?];
        self.initial = Some(initial.clone());
        Ok(initial)
    }

    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt> {
        out.clear();
        self.load(state);
        let made = self.make(Some(state), out)?;
        // The store may have become wider: what was loaded must match it.
        if self.base.words().len() != self.store.width() {
            self.store.load_again(state, &mut self.base);
        }
        self.inserted.clear();
        match made {
            Made::Nothing => {}
            Made::Loop(marks) => out.edges.push(Edge { target: state, marks, is_new: false }),
            Made::Undecided { proposition, fault } => {
                self.met().valueless.get_or_insert(Valueless { state, proposition, fault });
            }
            Made::Steps { own } => {
                if self.system.hidden_words() == 0 {
                    self.store.insert_batch(&self.base, self.successors.vectors(), &mut self.inserted)?;
                } else {
                    self.collect_vectors(false);
                    self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
                }
                for (index, inserted) in self.inserted.iter().enumerate() {
                    let marks = Marks(own | self.fairness_marks(&self.successors, index));
                    out.edges.push(Edge { target: inserted.state, marks, is_new: inserted.is_new });
                }
            }
            Made::Moves { stutters } => {
                self.collect_vectors(stutters);
                self.store.insert_batch(&self.base, &self.vectors, &mut self.inserted)?;
                let moves = self.matching.len();
                let ordinary = if stutters { 1 } else { self.successors.len() };
                for (index, inserted) in self.inserted.iter().enumerate() {
                    let fair = match (index / moves).checked_sub(ordinary) {
                        Some(inside) => self.inside[inside].fair,
                        None if stutters => self.all_fair(),
                        None => self.fairness_marks(&self.successors, index / moves),
                    };
                    let marks = Marks(self.matching[index % moves].1 | fair);
                    out.edges.push(Edge { target: inserted.state, marks, is_new: inserted.is_new });
                }
            }
        }
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

    fn discovered(&self) -> Box<dyn Iterator<Item = StateId> + '_> {
        Box::new(self.store.states())
    }

    fn freeze(&mut self) -> Option<Box<dyn Frozen>> {
        Some(Box::new(self.frozen()))
    }

    fn thaw(&mut self, from: &mut dyn Read) -> Result<(), ThawError> {
        self.thawed(from)
    }

    fn rest(&mut self) {
        self.store.pass_safe_point();
    }
}

impl Shared for ModelProduct {
    fn another(&mut self) -> Result<ModelProduct, Halt> {
        Ok(ModelProduct {
            system: self.system.clone(),
            options: Arc::clone(&self.options),
            store: self.store.another()?,
            base: Expanded::new(),
            successors: Successors::new(),
            inserted: Vec::new(),
            vectors: Vec::new(),
            state: Vec::new(),
            front: [0; 2],
            prefix: self.prefix,
            initial: self.initial.clone(),
            fault: self.fault,
            sinks: Arc::clone(&self.sinks),
            matching: Vec::new(),
            met: Arc::clone(&self.met),
            own_sets: self.own_sets,
            limits: self.limits.clone(),
            held: Arc::clone(&self.held),
            endless: Endless::default(),
            inside: Vec::new(),
            inner: Successors::new(),
        })
    }
}

/// Of a step: one bit for each process that takes part in it, or could not move before it.
fn fairness_marks(bits: Range<u32>, executable: &PidSet, successors: &Successors, index: usize) -> u64 {
    let mut marks = 0;
    for (bit, pid) in bits.zip(0_u8..) {
        if successors.took_part(index, pid) || !executable.contains(pid) {
            marks |= 1 << bit;
        }
    }
    marks
}

/// Which limit is exceeded by a run that holds this many bytes.
fn exceeded(limits: &Limits, bytes: usize) -> Option<Reason> {
    if limits.is_interrupted() {
        return Some(Reason::Interrupted);
    }
    if limits.deadline.is_some_and(|deadline| Instant::now() >= deadline) {
        return Some(Reason::Timeout);
    }
    limits.max_memory_bytes.is_some_and(|most| bytes as u64 > most).then_some(Reason::MemoryLimit)
}

/// Is a step of the search more than a step of the model?
fn takes_steps_inside(reduction: &Reduction) -> bool {
    reduction.construction() == Construction::Inside
}

/// Whoever runs the search asks for [`ModelProduct::divergence`] and opens the sequence.
fn not_opened() -> Halt {
    Halt(Reason::Unsupported("an atomic sequence may run for ever".to_string()))
}

/// How a fault of the model is told to the search.
pub fn fault_kind(fault: model::Fault) -> FaultKind {
    let class = match fault {
        model::Fault::Assertion => FaultClass::Assertion,
        _ => FaultClass::RuntimeError,
    };
    FaultKind { class, code: fault as u32 }
}
