//! The textual notations of LTL: tokens, parser and printer, each for SPIN's and for Spot's dialect.

mod lexer;
mod parser;
mod printer;

pub use parser::parse;
pub use printer::{DisplayFormula, display};

/// Whose notation a text is in. They differ in more than spelling: SPIN's binary operators all associate to the
/// left, while in Spot `U R W M -> <->` associate to the right.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dialect {
    /// `! [] <> X U W V && || -> <->` and their word forms over Promela expressions.
    Spin,
    /// `! G F X U R W M & | ^ -> <->` over names and quoted texts.
    Spot,
}
