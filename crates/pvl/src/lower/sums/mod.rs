//! Sums, counts and set comprehensions: functions that are made for them, shared where they are the same, and the checks at
//! the place where they stand.

pub(crate) mod captures;
pub(crate) mod comprehensions;
pub(crate) mod footprints;
pub(crate) mod heap_sums;
pub(crate) mod listed_sets;
pub(crate) mod set_functions;
pub(crate) mod shared_functions;
pub(crate) mod sum;
pub(crate) mod sum_functions;
pub(crate) mod sum_receivers;
