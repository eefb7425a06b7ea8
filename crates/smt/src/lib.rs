//! Formulas of first-order logic, and the solvers that decide them.
//!
//! [`Terms`] builds hash-consed, simplified terms; later rooms hand them to a solver session. Nothing here knows
//! programs or permissions.
#![forbid(unsafe_code)]

mod build;
mod node;
mod quantify;
mod solver;
mod substitute;
mod terms;
mod theory;

pub use node::{Bound, Function, FunctionKind, Node, Operator, Quantifier, QuantifierKind, Sort, SortKind};
pub use solver::{SolverKind, SolverOptions};
pub use terms::Terms;
pub use theory::{CollectionKind, Theories};

pub use node::Term;
pub use num_bigint::BigInt;
pub use num_rational::BigRational;
