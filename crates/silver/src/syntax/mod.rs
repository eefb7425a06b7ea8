//! Text and trees of Silver: tokens, the parse tree, the parser and the printer.

mod parser;
mod printer;
pub(crate) mod rewrite;
mod token;
pub mod tree;

pub use parser::parse;
pub(crate) use parser::parse_here;
pub use printer::print;
pub use token::is_keyword;
