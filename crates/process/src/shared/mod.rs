//! What explorers of one search share: things that have one number for all of them.
//!
//! A state is a vector of words, and words are numbers of terms, labels and values; so whoever reads a state must know the
//! same thing by the same number as whoever wrote it. Numbers are given under a lock (one of several, by the hash of what is
//! numbered) and never taken back, and what has a number does not move, so it is read without a lock. In front of the locks
//! each explorer has a small memory of its own for what it asked last ([`Recent`]).

mod numbering;
mod shelf;

pub(crate) use numbering::{Index, Numbering, Recent};
pub(crate) use shelf::{Cells, chunk_end};
