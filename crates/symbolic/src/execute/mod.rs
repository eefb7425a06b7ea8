//! Executing statements symbolically: one method body is a set of paths through its control-flow graph.
//!
//! Paths are worked off one after the other from an explicit stack, first branch first. A statement that fails is
//! tried again with more complete reasoning (see [`crate::attempt`]) before the failure counts.

mod call;
mod paths;
mod statement;

pub(crate) use paths::{Refutation, Refutations};
