//! Budgets of evaluation, solving and exploration: all of them, in one table.

/// How deep operators and calls of functions may be nested in one evaluation. A higher bound evaluates deeper recursion
/// and costs stack, which exploration has no more of than other searches.
pub(crate) const DEPTH: u32 = 1_200;

/// Steps of one evaluation; a function that needs more is taken not to end.
pub(crate) const STEPS: u64 = 20_000_000;

/// Elements of a collection, or values of a variable, that are listed: more fill memory before anybody reads them.
pub(crate) const ELEMENTS: usize = 1_000_000;

/// Ways in which one effect is tried; each may lead to a successor.
pub(crate) const BRANCHES: usize = 200_000;

/// How deep calls of processes may be unfolded before an action is done; recursion that does nothing has no end.
pub(crate) const UNFOLDINGS: u32 = 400;

/// Components of one state, counted: processes side by side, sequences written out, values of a choice.
pub(crate) const COMPONENTS: usize = 100_000;

/// Instances of one question.
pub(crate) const INSTANCES: usize = 1_000_000;
