//! Text and trees of Silver: tokens, the parse tree, the parser and the printer.

mod parser;
mod printer;
pub mod rewrite;
mod token;
pub mod tree;

pub use parser::parse;
pub(crate) use parser::parse_here;
pub use printer::{print, print_expression, print_type};
pub use token::is_keyword;
