//! Effects are solved: all values of some cells (fields after an action, variables of a sum) that make conditions true.
//!
//! Conditions are turned around as far as they can be: equations, elements of sequences and maps, concatenations,
//! arithmetic; alternatives are tried one by one; what has few values is listed. Every candidate is then evaluated
//! against all conditions, so that none is invented. What cannot be determined is refused, so that none is missed.

mod assign;
mod constrain;
mod partial;
mod solver;
mod split;

pub(crate) use solver::{Cell, CellPlace, Refusal, Solver};
