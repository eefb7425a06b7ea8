//! Members and what surrounds their bodies: contracts, calls, loops, measures, and statements that are proved on their own.

pub(crate) mod calls;
pub(crate) mod clauses;
pub(crate) mod effects;
pub(crate) mod extracts;
pub(crate) mod functions;
pub(crate) mod inline;
pub(crate) mod loops;
pub(crate) mod measures;
pub(crate) mod methods;
pub(crate) mod proof_steps;
