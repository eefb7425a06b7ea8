//! Budgets and limits of the algebra, of evaluation, solving and exploration: all of them, in one table. Whoever reaches one
//! says so; nothing is cut in silence.

/// Terms nested less deep than this are dropped by plain recursion, which is quicker than a list of what waits.
pub(crate) const DROPPED_BY_RECURSION: u32 = 256;

/// Nodes of a term that is brought into normal form, written out. Larger ones come from no hand.
pub(crate) const TERM_NODES: u64 = 4_000_000;

/// How deep normal forms may be nested, a sequence counted once however long it is. Guards the stack of everything that
/// walks over them.
pub(crate) const NORMAL_DEPTH: u32 = 300;

/// How deep an expression in a term may be nested. Guards the stack.
pub(crate) const EXPRESSION_DEPTH: u32 = 400;

/// Nodes of an expression in a term, written out: arguments that double with every call reach this soon.
pub(crate) const EXPRESSION_NODES: u64 = 20_000;

/// Different normal forms that one algebra keeps: some hundred megabytes.
pub(crate) const NORMAL_FORMS: usize = 2_000_000;

/// Values of a range with known bounds up to which a sum or a family is written out.
pub(crate) const WRITTEN_OUT: u64 = 256;

/// Calls that are unfolded one inside the other before a first action is found. Recursion that needs more is called
/// unguarded.
pub(crate) const UNFOLDINGS: usize = 96;

/// Summands of one head normal form.
pub(crate) const SUMMANDS: usize = 20_000;

/// States that are explored of two terms to compare them exactly.
pub(crate) const COMPARED_STATES: usize = 20_000;

/// Pairs of terms that are compared symbolically before the answer is *unknown*.
pub(crate) const COMPARED_PAIRS: usize = 4_000;

/// How many actions deep terms are compared symbolically.
pub(crate) const COMPARED_DEPTH: usize = 64;

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
pub(crate) const EXPLORED_UNFOLDINGS: u32 = 400;

/// Components of one state, counted: processes side by side, sequences written out, values of a choice.
pub(crate) const COMPONENTS: usize = 100_000;

/// Instances of one question.
pub(crate) const INSTANCES: usize = 1_000_000;
