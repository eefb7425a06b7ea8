//! Emptiness checks on products, and the counterexamples they find.
#![forbid(unsafe_code)]

pub mod product;
