//! From text to tree: preprocessor, tokens, parser, printer.

pub mod limits;
mod macros;
pub mod tree;

pub use macros::Macros;
