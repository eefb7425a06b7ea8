//! Terms without variables, each with a number of its own: equal terms are the same number.

use crate::evaluate::Word;

/// The number of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct TermId(pub(super) u32);

/// A term without variables. What stands behind the first part of a sequence is kept as it was written, with values for
/// its variables; calls in it are unfolded when they come to the front.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) enum Node {
    Empty,
    Deadlock,
    Action(u32, Box<[Word]>),
    Call(u32, Box<[Word]>),
    Sequence(TermId, TermId),
    /// Sorted, each once.
    Choice(Box<[TermId]>),
    /// Sorted.
    Parallel(Box<[TermId]>),
    Iteration(TermId),
    /// A sum with the values of its free variables.
    Sum(u32, Box<[Word]>),
    /// A part that cannot be evaluated; the number of the sentence that says why.
    Failed(u32),
}
