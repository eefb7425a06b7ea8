//! The product interface: all that an emptiness check knows of what it searches.
//!
//! A product is a graph discovered on the fly whose edges carry acceptance marks (a transition-based
//! generalised Büchi automaton) and whose states and edges may carry faults. A search sees numbers, marks
//! and faults; nothing here knows what a state is made of.
//!
//! **Acceptance.** A run is accepting when it takes, for each of the `acceptance_sets()` sets, infinitely
//! many edges marked with that set; with no set at all every infinite run is accepting. Whatever can be said
//! about infinite runs is said in this way, by the product:
//! - an automaton's own condition: one set per acceptance set of the automaton;
//! - state-based acceptance: every edge that leaves an accepting state is marked;
//! - weak fairness: one more set per process, and an edge is marked with process *i*'s set when *i* moves on
//!   it or is disabled in its source (so a process that has ended is fair without moving);
//! - non-progress cycles: one set, whose marks lie on the edges between two states without progress, after
//!   a nondeterministic jump into a copy of the state space where only such edges exist (the two-state claim
//!   automaton `<>[] np_`, whose second state has the mark on every edge).
//!
//! **Runs that end.** A search follows infinite runs. A product whose property speaks about finite runs too
//! gives a state without successors a self-loop (the stuttering extension).
#![deny(missing_docs)]

use std::io::{Error, ErrorKind, Read};
pub use store::StateId;

use store::{StoreFull, ThawError};
use verdict::Reason;

use crate::kept::Frozen;

/// A set of acceptance marks: bit *i* is the *i*-th acceptance set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Marks(pub u64);

impl Marks {
    /// More acceptance sets than this cannot be told apart.
    pub const MAXIMUM: u32 = 64;

    /// No mark.
    pub const NONE: Marks = Marks(0);

    /// The marks of all `count` acceptance sets.
    pub fn all(count: u32) -> Marks {
        Marks(if count == 0 { 0 } else { u64::MAX >> (64 - count.min(64)) })
    }

    /// The mark of one acceptance set.
    pub fn one(set: u32) -> Marks {
        Marks(1 << set)
    }

    /// Whether all of `others` are here.
    #[inline]
    pub fn covers(self, others: Marks) -> bool {
        others.0 & !self.0 == 0
    }

    /// The marks here or there.
    #[inline]
    pub fn union(self, others: Marks) -> Marks {
        Marks(self.0 | others.0)
    }

    /// The marks here and not there.
    #[inline]
    pub fn without(self, others: Marks) -> Marks {
        Marks(self.0 & !others.0)
    }

    /// Whether some mark is here and there.
    #[inline]
    pub fn meets(self, others: Marks) -> bool {
        self.0 & others.0 != 0
    }

    /// Whether no mark is here.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }
}

/// A transition to a state, with its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Edge {
    /// Where it leads.
    pub target: StateId,
    /// The acceptance sets it is in.
    pub marks: Marks,
    /// Whether this expansion discovered the target. Over a whole run, of all workers together, one edge to each state does
    /// that is not initial.
    pub is_new: bool,
}

/// The sort of thing that is wrong, for those who report it; a search only counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FaultClass {
    /// An assertion is false.
    Assertion,
    /// A state without successors in which some process ought not to stop.
    InvalidEndState,
    /// The model does what has no meaning: divides by zero, leaves an array …
    RuntimeError,
    /// A finite word is accepted: the claim came to its end, an accepting sink is reached.
    Acceptance,
    /// Anything else, told apart by the code.
    Other,
}

/// A class and a code whose meaning belongs to the product (which assertion, which error). Faults with equal
/// kinds are counted together, and the first of each kind is remembered with its path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FaultKind {
    /// The sort of fault.
    pub class: FaultClass,
    /// The product's number for it.
    pub code: u32,
}

/// Something wrong with a state or with one of its edges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// On which of the expansion's edges; none when it is the state itself, or a transition that leads
    /// nowhere (told by the code).
    pub edge: Option<u32>,
}

/// All that leaves one state. The buffers are reused from state to state.
#[derive(Clone, Debug, Default)]
pub struct Expansion {
    /// The transitions out of the state.
    pub edges: Vec<Edge>,
    /// What is wrong with the state or its transitions.
    pub faults: Vec<Fault>,
    /// For terminal automata: the automaton is in an accepting sink, so every infinite run from this state
    /// is accepting, and there is one. Reachability of such a state is all that a terminal check looks for.
    pub accepting_sink: bool,
}

impl Expansion {
    /// Room for an expansion.
    pub fn new() -> Self {
        Expansion::default()
    }

    /// Forgets the last state; every `expand` begins with this.
    pub fn clear(&mut self) {
        self.edges.clear();
        self.faults.clear();
        self.accepting_sink = false;
    }
}

/// Why a product cannot go on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Halt(pub Reason);

impl From<StoreFull> for Halt {
    fn from(full: StoreFull) -> Halt {
        Halt(match full {
            StoreFull::Names => Reason::TooManyStates,
            StoreFull::MemoryLimit => Reason::MemoryLimit,
            StoreFull::OutOfMemory => Reason::OutOfMemory,
            StoreFull::Workers => Reason::Unsupported(full.to_string()),
        })
    }
}

/// A graph to be searched, as one worker sees it: what all workers share (the states discovered, the acceptance sets, where
/// runs begin), and what it has of its own to expand states with.
///
/// States are numbered from 0. While one worker searches, that is the order of their discovery, without gaps: the states that
/// a call of `initial` or `expand` discovers are exactly the numbers from `stored()` before the call up to `stored()`
/// after it, and each of them is an initial state or the target of an edge of that call. With several workers only
/// [`Edge::is_new`] tells, and a few numbers below `bound()` may be unused.
///
/// `expand` is a function of the state: every call of every worker yields the same edges in the same order, but for what was
/// new. Searches expand a state again when they look for a readable counterexample.
pub trait Product {
    /// How many acceptance sets there are, at most [`Marks::MAXIMUM`]. With none, every infinite run is
    /// accepting; searches for faults ignore acceptance.
    fn acceptance_sets(&self) -> u32;

    /// The states where runs begin, discovered by this call when it is the first.
    fn initial(&mut self) -> Result<Vec<StateId>, Halt>;

    /// Computes all that leaves a state; `out` is cleared first.
    fn expand(&mut self, state: StateId, out: &mut Expansion) -> Result<(), Halt>;

    /// How many states are discovered.
    fn stored(&self) -> usize;

    /// A number above those of all discovered states.
    fn bound(&self) -> usize {
        self.stored()
    }

    /// The bytes that the product's tables hold.
    fn memory_bytes(&self) -> usize;

    /// The discovered states. Other workers must have left, or not come yet.
    fn discovered(&self) -> Box<dyn Iterator<Item = StateId> + '_> {
        Box::new((0..self.stored() as u32).map(StateId))
    }

    /// All that is discovered in this moment; none where that cannot be kept. All workers must have called
    /// [`Product::rest`] since they did anything else.
    fn freeze(&mut self) -> Option<Box<dyn Frozen>> {
        None
    }

    /// Takes over what was discovered by another product like this one, as [`Frozen::write`] has written it. Nothing may be
    /// discovered yet.
    fn thaw(&mut self, from: &mut dyn Read) -> Result<(), ThawError> {
        let _ = from;
        Err(Error::new(ErrorKind::Unsupported, "such a product cannot be kept").into())
    }

    /// To be called again and again by a worker that waits for others, who may need it to hold nothing of what they share.
    fn rest(&mut self) {}
}

/// A product that several workers can search at once.
pub trait Shared: Product + Send + Sized {
    /// The view of another worker. There must be initial states already.
    fn another(&mut self) -> Result<Self, Halt>;
}
