//! Text and trees of PVL: tokens, the parse tree, the parser and the printer.

mod parser;
mod token;
pub mod tree;
mod words;

pub use parser::{MAX_DEPTH, MAX_NESTING, Options, parse};
