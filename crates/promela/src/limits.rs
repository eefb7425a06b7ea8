//! Bounds that keep hostile input from exhausting stack, memory or time: all of them, in one table.

/// Nesting of statements, parentheses and indices that the parser follows; SPIN's lexer gives up at 255
/// braces. A level costs about 5 kB of stack without optimisation.
pub(crate) const NESTING: usize = 250;

/// Height of an expression's tree; a long chain `a + b + …` is high without being nested. Trades the longest chain
/// for the stack of every later walk over expressions.
pub(crate) const EXPRESSION_HEIGHT: u32 = 2_000;

/// Nesting of `#include`, as the C preprocessor has it.
pub(crate) const INCLUDE_DEPTH: u32 = 200;

/// Nesting of macro calls in the arguments of macro calls; guards the stack.
pub(crate) const MACRO_CALL_DEPTH: u32 = 200;

/// Tokens that preprocessing and inline expansion may produce from one model: macros that double their argument
/// reach any number. A token takes about 50 bytes, so this is a hundred megabytes.
pub(crate) const TOKENS: usize = 2_000_000;

/// Nesting of inline calls, as SPIN has it.
pub(crate) const INLINE_DEPTH: usize = 32;

/// Errors after which reading stops, and warnings that are kept: more would not help.
pub(crate) const ERRORS: usize = 100;

/// Scalars in one variable, arrays and structures multiplied out: more than a state could hold.
pub(crate) const VARIABLE_SLOTS: u64 = 1 << 20;

/// Scalars in one message or parameter list; each is copied whenever one is sent or a process started.
pub(crate) const TYPE_FIELDS: u64 = 4_096;

/// Structures within structures; guards the stack.
pub(crate) const TYPE_DEPTH: u32 = 100;

/// Slots of a model: no state of a larger size could be stored.
pub(crate) const MODEL_SLOTS: usize = 1 << 20;
