//! Text and trees of Silver: tokens, the parse tree, the parser and the printer.

mod parser;
mod printer;
pub(crate) mod rewrite;
mod token;
pub mod tree;

pub use parser::{MAX_NESTING, parse};
pub use printer::print;
