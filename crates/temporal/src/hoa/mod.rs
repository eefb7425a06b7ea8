//! The Hanoi omega-automata format, version 1 (Babiak et al., CAV'15), in and out.

mod acceptance;
mod expressions;
mod lexer;
mod reader;
mod writer;

pub use reader::read_hoa;
pub use writer::write_hoa;
