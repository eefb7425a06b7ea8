//! Budgets and limits of the talk with solvers: all of them, in one table.

use std::time::Duration;

/// Bytes of a solver's answer to the question for its version: more than a version needs.
pub(crate) const VERSION_BYTES: u64 = 4_096;

/// How deep a value of a model may be nested: deeper than any that is of use to somebody. Guards the stack.
pub(crate) const VALUE_DEPTH: usize = 64;

/// Nodes up to which a text for the solver is written as a tree. Larger ones name what they share, which costs a walk
/// and saves text that can be exponential.
pub(crate) const TREE_NODES: u32 = 48;

/// Nodes below which a shared term is written out each time: a name is as long.
pub(crate) const NAMED_NODES: u32 = 4;

/// Bytes that are written to a solver at once: so many fit into an empty pipe everywhere.
pub(crate) const PIPE: usize = 4_096;

/// How often a flag is looked at while waiting: an interruption is late by at most so much.
pub(crate) const GLANCE: Duration = Duration::from_millis(20);

/// How often it is asked how much a solver has worked that had time enough for all of its budget.
pub(crate) const WORK_GLANCE: Duration = Duration::from_secs(1);

/// How long a solver may go without any time of a processor before it is taken to hang: on a busy machine each gets some.
pub(crate) const LONGEST_SLEEP: Duration = Duration::from_secs(10);

/// Bytes of one answer; a solver that says more has lost its way, and would take all memory.
pub(crate) const ANSWER_BYTES: usize = 64 << 20;

/// Bytes of the error stream that are kept for a message.
pub(crate) const COMPLAINT_BYTES: usize = 4_096;

/// How long a process may take until it says its first word. A solver needs some milliseconds; the rest is for a busy
/// machine. Who has not greeted by then never will, whatever the limit of the question is.
pub(crate) const LONGEST_START: Duration = Duration::from_secs(10);

/// What each process has at least to say its first word.
pub(crate) const SHORTEST_START: Duration = Duration::from_secs(1);

/// How long a solver that counts instances may take to stop by itself and tell, before it is ended.
pub(crate) const STOPPING_TIME: Duration = Duration::from_secs(2);

/// How long reading the values of a model may take where no limit is given.
pub(crate) const READING_TIME: Duration = Duration::from_secs(30);

/// What an instance of an ascending rule counts, where others count one.
///
/// From an element of the result of an operation follows one of the operands, and that ends with the term. The other
/// way round, one sequence may be an operand of many, these of more, and one of them the first again in another
/// guise, at another index: without a bound, a solver that cannot prove its goal goes on until its budget is used up.
/// Z3 adds up the weights of the instances that led to a term and makes none beyond its `qi.eager_threshold`, which
/// is 100 here; so a chain has up to three ascents among as many descents as it likes. No program of Viper's test
/// suite needs more than two.
pub(crate) const ASCENT: u32 = 30;

/// How many times as much a solver may spend that is asked once more whether an answer that was kept is wrong.
pub(crate) const SECOND_LOOK: u64 = 10;
