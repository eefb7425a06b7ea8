//! The algebra on terms that are written by hand: laws, what a term does first, equality with data, equations for the proof of
//! programs, and terms that are too large.

#[path = "../support/build.rs"]
mod build;
mod equality;
mod equations;
mod heads;
mod laws;
mod limits;
