//! Erasure: a program without its ghost code does the same as with it.
//!
//! *Ghost code* is what only the proof needs: `ghost` statements and methods, lemmas, statements of `with` and `then`,
//! proofs of barriers and wands, values of `given` and `yields`, `ghost` fields, and amounts of permission. Nobody runs
//! it. What is proved is therefore true of the program that is run only if ghost code ends without waiting for others
//! (that its loops and calls end is checked with lemmas), and if nothing of it flows into what the program does.
//!
//! Which values come from ghost code is found by a flow analysis (noninterference, after Denning and Denning): a value
//! depends on everything that its expression reads, and whatever a statement changes depends on the conditions that
//! decide whether it is executed. Ghost code is code under a condition that is ghost. Locations on the heap are told
//! apart only by what no alias can blur: the field, or the type of the elements and the arrays that can be the same
//! ([`places`], [`arrays`]). A call puts the caller's values into a summary of what is called ([`summary`]), so that
//! one routine can serve both worlds.
//!
//! What must not be reached is the behaviour of the program: its results, jumps and ends, everything that starts
//! threads or waits for them, and what it stores on the heap. These are errors. Ghost code itself may write locations
//! that the program does not read, and create objects, since programs for VerCors have no other way to keep ghost
//! state; these are warnings with the same code. If the program does read such a location, the value is followed
//! from there.

mod arrays;
mod calls;
mod counting;
mod expressions;
mod failures;
mod flow;
mod places;
mod report;
mod statements;
mod summary;

use source::Diagnostic;

use crate::resolve::Resolution;
use crate::syntax::tree::NodeId;

/// Flows from ghost code into the program. The resolution has no errors.
pub(crate) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut flow = flow::Flow::new(resolution, order);
    flow.run(order);
    flow.into_diagnostics()
}
