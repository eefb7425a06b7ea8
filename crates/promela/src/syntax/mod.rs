//! From text to tree: preprocessor, tokens, parser, printer.

mod condition;
mod expand;
mod macros;
mod parser;
mod preprocess;
mod scan;
mod token;
pub mod tree;

pub use macros::Macros;
pub use parser::{Names, parse, parse_formula};
pub use preprocess::{Options, Preprocessed, preprocess, preprocess_with};
pub use token::{Bad, Punct, Token, TokenKind};
