//! Bounds that keep hostile input from exhausting stack, memory or time.

/// Nesting of statements, parentheses and indices that the parser follows; SPIN's lexer gives up at 255
/// braces. A level costs about 5 kB of stack without optimisation.
pub const NESTING: u32 = 250;

/// Height of an expression's tree; a long chain `a + b + …` is high without being nested.
pub const EXPRESSION_HEIGHT: u32 = 2_000;

/// Nesting of `#include`, as the C preprocessor has it.
pub const INCLUDE_DEPTH: u32 = 200;

/// Tokens that preprocessing and inline expansion may produce from one model.
pub const TOKENS: usize = 2_000_000;

/// Nesting of inline calls, as SPIN has it.
pub const INLINE_DEPTH: usize = 32;

/// Errors after which reading stops.
pub const ERRORS: usize = 100;
