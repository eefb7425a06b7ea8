//! Which solver to run, and how.

use std::path::PathBuf;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolverKind {
    Z3,
    Cvc5,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SolverOptions {
    pub kind: SolverKind,
    /// The program to start.
    pub path: PathBuf,
    pub seed: u32,
}
