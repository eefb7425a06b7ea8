//! Oracles that share nothing with the verifier.

pub mod pvl;
