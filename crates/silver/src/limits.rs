//! Bounds that keep hostile or generated input from exhausting stack, memory or time: all of them, in one table.
//! None is met by a program of Viper's test suite.

/// How deep parentheses, blocks and prefix operators may be nested. A higher bound reads stranger texts and costs
/// stack in every pass; tests read and check texts at this bound.
pub const NESTING: usize = 500;

/// How deep expressions and statements may be that the front end lets through; a long chain `a && b && …` is deep
/// without being nested. A recursive walk over a typed tree needs a known amount of stack because of it, which
/// [`crate::with_large_stack`] provides.
pub const DEPTH: usize = 2_000;

/// The stack for walks over trees. It is address space until it is used, and is asked for once per file.
pub(crate) const STACK_SIZE: usize = 256 << 20;

/// Errors after which the rest of a file is not read, and warnings that are kept. More would not help, and each
/// costs a comparison with all others.
pub(crate) const ERRORS: usize = 1_000;

/// How deep imports may follow each other. Each file is imported once, so this only guards the stack.
pub(crate) const IMPORT_DEPTH: usize = 200;

/// Nodes that the expansion of macros may make from one program: macros that double their argument reach any number,
/// and all of them are in memory at once.
pub(crate) const EXPANDED_NODES: usize = 2_000_000;

/// How deep macros may be used in each other; guards the stack.
pub(crate) const EXPANSION_DEPTH: usize = 200;

/// How deep a walk through expressions and the macros in them may go, before the depth of the result is known.
pub(crate) const EXPANSION_WALK: usize = 4 * DEPTH;

/// How deep blocks may be nested behind expansion: a little deeper than a file can.
pub(crate) const EXPANDED_SCOPES: usize = 2 * NESTING;

/// How deep types may be nested, so that inference cannot build types without end. Written types and expressions,
/// which each nest at most [`NESTING`] levels, stay below it.
pub(crate) const TYPE_DEPTH: usize = 3 * NESTING;

/// How deep comparison chains may be nested in the middle of comparison chains: each level doubles the formula.
pub(crate) const CHAIN_NESTING: usize = 8;

/// Pieces that a quantified permission may be split into. Splitting can square a formula; beyond this the rest is
/// left as it is, which the engine then refuses.
pub(crate) const PERMISSION_PIECES: usize = 4_096;

/// Paths from one ADT to another by which its values are known to be smaller. Many ADTs that hold each other have
/// very many; those beyond are left out, which only makes fewer termination proofs succeed.
pub(crate) const ADT_OCCURRENCES: usize = 256;

/// Steps of the search for triggers. The number of covering sets is exponential in the number of candidates; what is
/// not found in time is a quantifier without triggers of ours.
pub(crate) const TRIGGER_STEPS: usize = 20_000;
