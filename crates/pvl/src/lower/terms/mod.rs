//! Quantifiers and arithmetic in a form that the solver can work with: triggers, products, indices in row-major order.

pub(crate) mod polynomials;
pub(crate) mod products;
pub(crate) mod quantifiers;
mod replacement;
pub(crate) mod row_major;
pub(crate) mod triggers;
