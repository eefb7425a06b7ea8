//! Formulas of first-order logic, and the solvers that decide them.
//!
//! [`Terms`] builds hash-consed, simplified terms; a [`Session`] hands them to a solver, which runs as a child process
//! and may die, hang or talk nonsense without harm. Nothing here knows programs or permissions.
//!
//! ```no_run
//! use smt::{Answer, Budget, Session, Terms, recognise};
//!
//! let mut terms = Terms::new();
//! let x = terms.constant("x", terms.int_sort());
//! let (zero, one) = (terms.int(0), terms.int(1));
//! let mut session = Session::start(&recognise("z3".as_ref())?, None)?;
//! let positive = terms.less(zero, x);
//! session.assert(&terms, positive);
//! let goal = terms.less_equal(one, x);
//! assert_eq!(session.prove(&terms, goal, &Budget::resources(100_000)), Answer::Unsat);
//! # Ok::<(), smt::SolverError>(())
//! ```
#![forbid(unsafe_code)]

mod answer;
mod build;
mod digest;
mod kept;
mod limits;
mod log;
mod model;
mod node;
mod patience;
mod print;
mod process;
mod profile;
mod quantify;
mod recognise;
mod reply;
mod session;
mod solver;
mod standby;
mod substitute;
mod symbols;
mod terms;
mod theory;
mod transfer;

pub use answer::{Answer, Budget, UnknownReason};
pub use kept::{Answers, Books, Kept, KeptAnswer, Key, Reuse, Trust};
pub use log::Logs;
pub use model::ModelValue;
pub use node::{Bound, Function, FunctionKind, Node, Operator, Quantifier, QuantifierKind, Sort, SortKind};
pub use patience::ProcessorTime;
pub use recognise::{recognise, solver_version};
pub use session::{Session, SessionOptions, SessionStatistics};
pub use solver::{SolverError, SolverKind, SolverOptions};
pub use standby::Standby;
pub use terms::Terms;
pub use theory::{Access, CollectionKind, Theories, collection_of_axiom};

pub use node::Term;
pub use num_bigint::{BigInt, Sign};
pub use num_rational::BigRational;
