//! Concrete evaluation: exact values as words, expressions as code over them.
//!
//! Values are interned, so that equality is that of words and a state is a vector of them. Small integers, truth values,
//! characters and constants are words by themselves. Undefined operations are errors, never values.

mod builtins;
mod code;
mod compile;
mod evaluator;
mod numbers;
mod quantifiers;
mod sequences;
mod words;

pub(crate) use code::{Code, CodeBinder};
pub(crate) use compile::Compiler;
pub(crate) use evaluator::{Defined, Evaluator, Partials, Stop, Store};
pub(crate) use numbers::{binary as arithmetic, negate};
pub(crate) use quantifiers::{all_of, members, values_of};
pub(crate) use sequences::Elements;
pub(crate) use words::{Stored, Table, UNKNOWN, Word};
