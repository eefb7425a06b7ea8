//! What the recursive-descent parsers of the languages have in common, written once.
//!
//! Shared are the [`Cursor`] over tokens and the questions a rule asks of it ([`Reader`]), the bound on nesting
//! ([`Nesting`]), the list of messages that is bounded and has no repetitions ([`Messages`]), and what a rule wanted
//! to see, as data and as the words of a message ([`Expected`]). Not shared is what differs: the grammars, the codes
//! and help of messages, and recovery. Silver goes on at the next member, PVL at the next item of the list it is in,
//! by indentation, Promela at the next step or unit; each keeps its own rules in its parser, as Promela keeps the
//! rule by which a line break is a semicolon.
//!
//! A list of tokens ends with a token that is the end and that no rule passes, so there is always a current token.
#![forbid(unsafe_code)]

mod cursor;
mod expected;
mod messages;
mod nesting;
mod reader;

pub use cursor::{Cursor, Token};
pub use expected::{Expected, Spelled};
pub use messages::{Mark, Messages, bounded};
pub use nesting::Nesting;
pub use reader::{Failing, Reader, Reading};

/// The text that a span of it covers; empty where the span does not fit the text.
pub fn text_at(text: &str, span: source::Span) -> &str {
    text.get(span.start as usize..span.end as usize).unwrap_or("")
}
