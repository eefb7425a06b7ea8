//! Text and trees of Silver: tokens, the parse tree, the parser and the printer.

mod parser;
mod printer;
pub(crate) mod rewrite;
mod token;
pub mod tree;

pub(crate) use parser::parse_here;
pub use parser::{MAX_NESTING, parse};
pub use printer::print;
pub use token::is_keyword;
