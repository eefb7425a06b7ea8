//! Budgets and limits of models and of what is compiled from them: all of them, in one table.

/// Levels of `enabled` within a guard that `enabled` looks at; deeper it is false. A part of the meaning of a model, so
/// both the interpreter and the compiled system have it from here.
pub(crate) const ENABLED_DEPTH: u32 = 8;

/// Steps within a deterministic block after which it may be one that does not end: from here on its states are compared
/// with a mark, which is set anew after each power of two. Sooner or later it lies on the cycle. Shorter blocks pay
/// nothing.
pub(crate) const SUSPICIOUS_STEPS: u64 = 1 << 10;

/// Steps within a block between two questions whether to go on.
pub(crate) const BLOCK_STEPS_BETWEEN_QUESTIONS: u64 = 1 << 14;

/// Deterministic blocks within blocks; deeper ones do not end.
pub(crate) const BLOCK_DEPTH: u32 = 16;

/// Internal states within one call after which further ones are remembered so that none is expanded twice. Whoever can
/// go on for ever passes this many; most calls stay below and need no table.
pub(crate) const REMEMBER_AFTER: u64 = 32;

/// Internal states between two questions whether to go on.
pub(crate) const INTERNAL_STATES_BETWEEN_QUESTIONS: u64 = 1 << 10;

/// Such questions that are answered with yes while some steps are taken beforehand, to see what states are like.
pub(crate) const QUESTIONS_WHILE_SETTLING: u32 = 64;

/// Steps that processes take alone within one expansion, counted by the states they leave. A state behind them is stored
/// and expanded fully, so a small number undoes the reduction, and a large one has long detours executed once
/// for each state before them.
pub(crate) const STEPS_INSIDE: u32 = 1_000;

/// States that are left by such steps between two questions whether to go on, over all expansions.
pub(crate) const STEPS_INSIDE_BETWEEN_QUESTIONS: u32 = 1 << 12;

/// Words of a state and of a channel; larger ones are refused, since few would fit into memory.
pub(crate) const STATE_WORDS: u64 = 1 << 22;

/// Nesting of expressions that are compiled; chains of operators to the left do not count. Guards the stack.
pub(crate) const EXPRESSION_NESTING: u32 = 900;

/// States after which machine code is made for a model. Making it takes time that small models, which are most, would
/// spend in vain.
pub(crate) const WORTH_MACHINE_CODE: u32 = 4_000;

/// States that a clone expands between two looks whether the machine code is there that another one makes.
pub(crate) const EXPANSIONS_BETWEEN_LOOKS_FOR_CODE: u32 = 1 << 8;

/// Edges for which a guard function answers: they are the bits of its result.
pub(crate) const EDGES_PER_LOCATION: u32 = 32;

/// Forms of a channel up to which there is machine code for it, one branch for each; with more, bytecode is used.
pub(crate) const CHANNEL_LAYOUTS: usize = 4;

/// Global slots up to which each has a word of its own, so that a store can keep it near what it changes with, whatever stands
/// beside it in the text. More of them share words: states would get longer than what is gained.
pub(crate) const GLOBALS_APART: usize = 12;
