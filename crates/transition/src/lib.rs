//! (opens below)
