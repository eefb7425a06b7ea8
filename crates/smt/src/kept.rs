//! Answers that were given before, so that a question need not be put to a solver twice.
//!
//! An answer is kept under the whole question: the solver, what it is told before anything else, the budget, all that is
//! declared and all that is asserted. Whoever keeps answers ([`Answers`]) knows keys only. A collision of keys could make
//! something hold that does not, so keys are made by a cryptographic hash. What is kept of a budget is what the same
//! question costs on every machine; time is not, so what time decides is not kept.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU8, Ordering};

use crate::answer::{Answer, UnknownReason};

/// The hash of a question.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct Key(pub [u8; 32]);

/// An answer that is worth keeping: the solver gave it, and would give it again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeptAnswer {
    Unsat,
    Sat,
    Incomplete,
    Arithmetic,
    ResourceLimit,
}

impl KeptAnswer {
    /// None if the answer depends on time, on a fault, or on somebody who stopped the solver.
    pub fn of(answer: &Answer) -> Option<KeptAnswer> {
        match answer {
            Answer::Unsat => Some(KeptAnswer::Unsat),
            Answer::Sat => Some(KeptAnswer::Sat),
            Answer::Unknown(UnknownReason::Incomplete) => Some(KeptAnswer::Incomplete),
            Answer::Unknown(UnknownReason::Arithmetic) => Some(KeptAnswer::Arithmetic),
            Answer::Unknown(UnknownReason::ResourceLimit) => Some(KeptAnswer::ResourceLimit),
            Answer::Unknown(_) => None,
        }
    }

    pub fn answer(self) -> Answer {
        match self {
            KeptAnswer::Unsat => Answer::Unsat,
            KeptAnswer::Sat => Answer::Sat,
            KeptAnswer::Incomplete => Answer::Unknown(UnknownReason::Incomplete),
            KeptAnswer::Arithmetic => Answer::Unknown(UnknownReason::Arithmetic),
            KeptAnswer::ResourceLimit => Answer::Unknown(UnknownReason::ResourceLimit),
        }
    }
}

/// An answer and what it cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Kept {
    pub answer: KeptAnswer,
    /// In the solver's unit of work: what is left for the questions after it depends on that.
    pub spent: u64,
}

/// Who keeps the answers to the questions of one proof.
pub trait Answers: Send + Sync {
    /// What tells the solver from others of its kind: its version, and which build it is.
    fn solver(&self) -> String;

    /// The answer to a question, if it was given before the proof began.
    fn get(&self, key: &Key) -> Option<Kept>;

    fn put(&self, key: Key, kept: Kept);

    /// Whether the solver is asked all the same.
    fn is_rechecked(&self, _key: &Key) -> bool {
        false
    }

    /// An answer that was kept is wrong.
    fn refuted(&self, _key: &Key) {}

    /// The proof is over.
    fn close(&self) {}
}

type Open = dyn Fn(&str) -> Arc<dyn Answers> + Send + Sync;

/// Where answers are kept: something that keeps them for each proof, by its name.
#[derive(Clone)]
pub struct Books {
    is_filled: bool,
    open: Arc<Open>,
}

impl Books {
    /// `is_filled` says whether there are answers already, so that most proofs will hardly need a solver.
    pub fn new(is_filled: bool, open: impl Fn(&str) -> Arc<dyn Answers> + Send + Sync + 'static) -> Books {
        Books { is_filled, open: Arc::new(open) }
    }

    pub fn is_filled(&self) -> bool {
        self.is_filled
    }

    pub fn open(&self, name: &str) -> Arc<dyn Answers> {
        (self.open)(name)
    }
}

impl fmt::Debug for Books {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Books")
    }
}

/// Which answers are taken from before.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Trust {
    /// None: every question is put to the solver.
    Nothing = 0,
    /// Proofs. Where something is to be shown *not* to follow, all else has to be found out again.
    Proofs = 1,
    Everything = 2,
}

impl Trust {
    fn of(number: u8) -> Trust {
        match number {
            0 => Trust::Nothing,
            1 => Trust::Proofs,
            _ => Trust::Everything,
        }
    }
}

/// The answers that the sessions of one proof share, and what they take from them.
#[derive(Clone)]
pub struct Reuse(Arc<Shared>);

struct Shared {
    answers: Arc<dyn Answers>,
    /// Part of every key.
    solver: String,
    trust: AtomicU8,
    is_refuted: AtomicBool,
}

impl Reuse {
    pub fn new(answers: Arc<dyn Answers>, trust: Trust) -> Reuse {
        let solver = answers.solver();
        let trust = AtomicU8::new(trust as u8);
        Reuse(Arc::new(Shared { answers, solver, trust, is_refuted: AtomicBool::new(false) }))
    }

    /// Takes these answers from now on; returns which were taken before.
    pub fn set_trust(&self, trust: Trust) -> Trust {
        Trust::of(self.0.trust.swap(trust as u8, Ordering::Relaxed))
    }

    pub fn trust(&self) -> Trust {
        Trust::of(self.0.trust.load(Ordering::Relaxed))
    }

    /// Whether an answer turned out to be wrong.
    pub fn is_refuted(&self) -> bool {
        self.0.is_refuted.load(Ordering::Relaxed)
    }

    pub(crate) fn solver(&self) -> &str {
        &self.0.solver
    }

    pub(crate) fn get(&self, key: &Key) -> Option<Kept> {
        let is_wanted = |kept: &Kept| match self.trust() {
            Trust::Nothing => false,
            Trust::Proofs => kept.answer == KeptAnswer::Unsat,
            Trust::Everything => true,
        };
        self.0.answers.get(key).filter(is_wanted)
    }

    pub(crate) fn put(&self, key: Key, kept: Kept) {
        self.0.answers.put(key, kept);
    }

    pub(crate) fn is_rechecked(&self, key: &Key) -> bool {
        self.0.answers.is_rechecked(key)
    }

    pub(crate) fn refute(&self, key: &Key) {
        self.0.is_refuted.store(true, Ordering::Relaxed);
        self.0.answers.refuted(key);
    }
}

impl fmt::Debug for Reuse {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reuse")
    }
}
