//! Runs: reports do not depend on the number of workers, the order of declarations or unrelated members, and a run
//! ends when it should.

#[path = "../support/mod.rs"]
mod support;

mod doubtful;
mod independence;
mod limits;
mod members;
mod profile;
