//! From tree to program: names, types, constants, and SPIN's statement structure.

pub mod program;

pub use program::Program;
