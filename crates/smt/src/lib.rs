//! Formulas of first-order logic, and the solvers that decide them.
//!
//! [`Terms`] builds hash-consed, simplified terms; later rooms hand them to a solver session. Nothing here knows
//! programs or permissions.
#![forbid(unsafe_code)]

mod answer;
mod build;
mod find;
mod log;
mod model;
mod node;
mod print;
mod process;
mod profile;
mod quantify;
mod reply;
mod session;
mod solver;
mod substitute;
mod symbols;
mod terms;
mod theory;
mod transfer;

pub use answer::{Answer, Budget, UnknownReason};
pub use find::{find_solver, solver_version};
pub use model::ModelValue;
pub use node::{Bound, Function, FunctionKind, Node, Operator, Quantifier, QuantifierKind, Sort, SortKind};
pub use session::{Session, SessionOptions, SessionStatistics};
pub use solver::{SolverError, SolverKind, SolverOptions};
pub use terms::Terms;
pub use theory::{CollectionKind, Theories};

pub use node::Term;
pub use num_bigint::BigInt;
pub use num_rational::BigRational;
