//! The deductive engine: proves the members of a typed Silver program by symbolic execution.
//!
//! A member is a job of its own with its own terms and its own solver. States are symbolic: a store, a heap of chunks
//! and a path condition; one file per judgement says how expressions, assertions and statements change them.
#![forbid(unsafe_code)]

mod attempt;
mod blame;
mod circular;
mod consolidate;
mod consume;
pub mod control;
mod counterexample;
pub mod dependencies;
mod encode;
mod engine;
mod equations;
mod evaluate;
mod execute;
mod extensional;
mod formula;
mod functions;
mod heap;
mod limits;
mod lookup;
mod method;
mod options;
mod path;
mod predicates;
mod produce;
mod products;
mod prover;
mod quantified;
mod quantifier;
mod run;
mod sizes;
mod state;
mod wands;
mod watch;

pub use options::VerifyOptions;
pub use run::verify;
