//! Text and trees of PVL.

pub mod tree;
