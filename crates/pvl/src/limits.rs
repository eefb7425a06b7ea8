//! Bounds on what is read, and budgets of what is said to the solver: all of them, in one table.

/// How deep parentheses, blocks and prefix operators may be nested. A higher bound reads stranger texts and costs
/// stack in every pass; the stack is [`silver::with_large_stack`]'s.
pub(crate) const NESTING: usize = 500;

/// How high the tree of an expression may be; a long chain `a && b && …` is high without being nested. The same as
/// Silver's, so that what is lowered is not refused behind.
pub(crate) const DEPTH: usize = silver::limits::DEPTH;

/// Errors after which the rest of a file is not read, and warnings that are kept: more would help nobody.
pub(crate) const ERRORS: usize = 100;

/// Steps of a flow of ghost values that a message shows; the first and the last tell most.
pub(crate) const FLOW_STEPS: usize = 4;

/// Characters of an assertion that name it in the lowered program; trades names that fit a line for whole ones.
pub(crate) const NAME_CHARACTERS: usize = 60;

/// Dimensions of an array that is made at once, and depth of a vector of vectors. Each is a method of the prelude,
/// which is written out only where it is used.
pub(crate) const DIMENSIONS: usize = 8;

/// Choices of a set comprehension that are looked at before the set is no longer written as a list. A list of so many
/// is proved by comparing elements; a longer one costs the solver more than the comprehension.
pub(crate) const LISTED_CHOICES: usize = 64;

/// Terms of a sum that is computed term by term; longer sums are unfolded from their end. The vectors of the prelude
/// (`vector_sum_at.vpr`) have the same number.
pub(crate) const SHORT_SUM: i64 = 16;

/// Terms of a polynomial that is put into normal form: more than anybody writes by hand, few enough to be squared.
pub(crate) const POLYNOMIAL_TERMS: usize = 32;

/// Products of variables about which a member is told facts. Each is an assumption on every path; more than this say
/// too much, and the solver instantiates them with each other.
pub(crate) const PRODUCTS: usize = 4;

/// Parts of the types that one instance of a generic declaration is used with, such as 2 of `option<int>`. Nobody writes
/// so many; a declaration that uses itself at ever larger types has no last instance.
pub(crate) const TYPE_PARTS: usize = 64;

/// Instances of generic declarations in a program: each is lowered and resolved by itself.
pub(crate) const INSTANCES: usize = 5_000;

/// Calls that `inline` bodies stand for in a program, and nodes of the expression that stands for one call: bodies that
/// use others twice double both.
pub(crate) const INLINED_CALLS: usize = 50_000;
pub(crate) const INLINED_NODES: usize = 20_000;

/// Alternatives of a term that are told apart by their conditions: for each of them there is an equation for the case that
/// no other can be taken.
pub(crate) const ALTERNATIVES_TOLD_APART: usize = 6;

/// Components of `||` whose orders are written out, orders that are, and components of a term that is written at all.
pub(crate) const COMPONENTS_IN_ORDER: usize = 5;
pub(crate) const ORDERS: usize = 6;
pub(crate) const COMPONENTS: usize = 64;

/// Ways to take a part of a model from a larger one that are tried where `split` is left out: each is a condition in the proof.
pub(crate) const REMAINDERS: usize = 10;

/// Shares of parts that are tried beside fractions of parts, each for each of these ways.
pub(crate) const SHARES_TOLD_APART: usize = 3;

/// Threads of a block whose parts of a model are given and taken one by one; more are one part together, which has to be
/// split by what is written.
pub(crate) const LISTED_THREADS: i64 = 4;

/// Statements of all programs together that may prove one contract; each costs the solver a question or a part of one.
pub(crate) const PROOF_STATEMENTS: usize = 1_500;

/// Steps that equations about a term look ahead of the first one; more say more to the solver at every place.
pub(crate) const STEPS_AHEAD: usize = 1;
