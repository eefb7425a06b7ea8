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
mod edges;
mod fairness;
mod frozen;
mod options;
mod replay;
mod successors;
mod vectors;

pub use automaton::accepting_sinks;
pub use options::{Acceptance, INVALID_END_STATE, ProductOptions, Valueless};

use std::io::Read;
use std::sync::Arc;

use store::sync::{AtomicUsize, Mutex, MutexGuard, Ordering, lock};
use store::{Expanded, Inserted, StateId, ThawError, TreeStore};
use transition::compiled::{Divergence, Reduction, Successors, System};
use transition::model;
use transition::reduction::Construction;
use verdict::{Limits, Reason};

use self::edges::Made;
use self::successors::{Inside, exceeded};
use crate::changes::Changes;
use crate::endless::Endless;
use crate::kept::Frozen;
use crate::limits;
use crate::product::{Edge, Expansion, FaultClass, FaultKind, Halt, Marks, Product, Shared};

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
        if self.system.hidden_words() > 0 {
            self.state.resize(self.system.hidden_words(), 0);
        }
        self.state.extend_from_slice(&self.base.words()[self.prefix..]);
        if self.state.len() != self.system.width() {
            self.state.resize(self.system.width(), 0);
        }
    }

    fn store_state(&mut self, prefix: u32, state: &[u32]) -> Result<StateId, Halt> {
        let mut words = Vec::with_capacity(state.len() + self.prefix);
        words.extend([prefix, 0].into_iter().take(self.prefix));
        words.extend_from_slice(&state[self.system.hidden_words()..]);
        Ok(self.store.insert(&words)?.state)
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

/// Is a step of the search more than a step of the model?
fn takes_steps_inside(reduction: &Reduction) -> bool {
    reduction.construction() == Construction::Inside
}

/// How a fault of the model is told to the search.
pub fn fault_kind(fault: model::Fault) -> FaultKind {
    let class = match fault {
        model::Fault::Assertion => FaultClass::Assertion,
        _ => FaultClass::RuntimeError,
    };
    FaultKind { class, code: fault as u32 }
}
