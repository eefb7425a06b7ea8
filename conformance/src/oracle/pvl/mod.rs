//! A concrete interpreter for PVL, written from the language's definition (`docs/pvl.md`).
//!
//! It shares the parser and the resolver with the verifier and nothing else. A program is run in all schedules that
//! differ, within bounds; what contracts, invariants and assertions say is evaluated on the real heap where it
//! stands, and accesses of threads that are not ordered are races. If every member of a program holds, no run of a
//! method that is called with what its precondition asks for can fail.

mod assertions;
mod calls;
mod concurrent;
mod entries;
mod evaluate;
mod examine;
mod execute;
mod explore;
mod generate;
mod language;
mod machine;
mod operators;
mod perturb;
mod pure_blocks;
mod quantifiers;
mod shrink;
mod state;
mod stop;
mod value;

pub use examine::{Examination, Run, examine};
pub use explore::{Bounds, Exploration};
pub use generate::{plain, shapes};
pub use language::Pvl;
pub use machine::Manner;
pub use stop::Failure;
