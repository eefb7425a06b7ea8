//! Budgets and limits of the searches: all of them, in one table. None decides a verdict; where one is met, less is
//! remembered, a lasso is longer, or the verdict is *unknown*.

/// Expansions between two looks at clock, memory and interruption, so that a look costs nothing that can be measured; a
/// limit is met late by at most so many.
pub(crate) const EXPANSIONS_BETWEEN_LOOKS: u64 = 1 << 10;

/// Expansions between two calls of the observer: well below a second.
pub(crate) const EXPANSIONS_BETWEEN_REPORTS: u64 = 1 << 16;

/// Expansions that the first of several workers makes alone, where nobody has said how many workers there are to be: a
/// few milliseconds, within which most models come to their end, each time in the same way.
pub const HEAD_START: u64 = 1 << 12;

/// Answers about endless sequences that are remembered; those beyond are found again when they are needed.
pub(crate) const ENDLESS_ANSWERS: usize = 1 << 20;

/// States inside an atomic sequence between two questions whether to go on.
pub(crate) const ENDLESS_STATES_BETWEEN_QUESTIONS: usize = 1 << 10;

/// Steps that are taken beforehand to see how wide states get, so that the store is seldom laid out anew.
pub const SETTLING_STEPS: usize = 1_000;

/// Words that change up to which it is found out which of them change together: the time grows with their third power.
pub(crate) const WORDS_TO_ORDER: usize = 200;

/// Propositions without a value in one state up to which it is looked whether their values matter: all combinations
/// are tried. With more, all are taken to matter, and the state has no value.
pub(crate) const MISSING_VALUES: usize = 4;

/// States at the same distance that are tried as the beginning of a shortest cycle; trades the shortest lasso for a
/// short one.
pub(crate) const SHORTEST_BEGINNINGS: usize = 256;

/// Acceptance sets up to which a shortest lasso is looked for: it is found among pairs of a state and a set of marks.
pub(crate) const SHORTEST_SETS: u32 = 8;

/// Steps of the walk that makes a lasso of the path to a sink. One that has not closed a cycle by then may not do so
/// for a long time, and the path is a good prefix already.
pub(crate) const LONGEST_WALK: usize = 10_000;
