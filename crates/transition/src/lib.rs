//! The seam of the explicit-state engine.
//!
//! A front end hands over a [`model::Model`]: communicating processes whose control flow is a graph of
//! locations and edges, each edge a guarded action on scalar slots and channels. This room gives it two
//! meanings that share no code: a plain and slow reference interpreter, against which every
//! counterexample is replayed, and the compiled successor function that the search uses. Nothing here
//! knows Promela, and nothing above knows how a state is laid out. `unsafe` code is in `compiled::jit` only.
#![deny(unsafe_code)]

pub mod compiled;
pub mod interpret;
mod limits;
pub mod model;
pub mod reduction;
