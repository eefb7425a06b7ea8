//! What is asked of a product: which runs it accepts, what is a fault in it, how it is reduced.

use store::StateId;
use temporal::Automaton;
use transition::compiled::{PropositionId, Reduction};
use transition::model;

use crate::product::{FaultClass, FaultKind};

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
