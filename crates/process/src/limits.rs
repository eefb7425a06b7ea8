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

/// The same where what lies behind may be left out.
pub(crate) const PARTIAL_UNFOLDINGS: usize = 4;

/// Summands of one head normal form.
pub(crate) const SUMMANDS: usize = 20_000;

/// States that are explored of two terms at first: most pairs are decided by then.
pub(crate) const COMPARED_FIRST: usize = 400;

/// States that are explored of two terms in the end, to compare them exactly.
pub(crate) const COMPARED_STATES: usize = 6_000;

/// Pairs of terms that are compared symbolically before the answer is *unknown*.
pub(crate) const COMPARED_PAIRS: usize = 400;

/// The same for terms without variables.
pub(crate) const COMPARED_CLOSED_PAIRS: usize = 100;

/// How many actions deep terms are compared symbolically.
pub(crate) const COMPARED_DEPTH: usize = 16;

/// Normal forms that are made to compare two terms symbolically: families that are cut grow quickly.
pub(crate) const COMPARED_FORMS: usize = 10_000;

/// How deep operators and calls of functions may be nested in one evaluation. A higher bound evaluates deeper recursion
/// and costs stack, which exploration has no more of than other searches.
pub(crate) const DEPTH: u32 = 1_200;

/// Steps of one evaluation; a function that needs more is taken not to end.
pub(crate) const STEPS: u64 = 20_000_000;

/// Elements of a collection, or values of a variable, that are listed: more fill memory before anybody reads them.
pub(crate) const ELEMENTS: usize = 1_000_000;

/// Ways in which one effect is tried; each may lead to a successor.
pub(crate) const BRANCHES: usize = 200_000;

/// Effects of an action that are kept before it is asked whether they are ever needed again. Keeping what is not costs more
/// memory than the states themselves.
pub(crate) const EFFECTS_TRIED: u32 = 20_000;

/// Parts of a state that are noted one by one to know what an effect depends on. Where more are read, it depends on all fields
/// that its contract names.
pub(crate) const READS_NOTED: usize = 64;

/// How deep calls of processes may be unfolded before an action is done; recursion that does nothing has no end.
pub(crate) const EXPLORED_UNFOLDINGS: u32 = 400;

/// Components of one state, counted: processes side by side, sequences written out, values of a choice.
pub(crate) const COMPONENTS: usize = 100_000;

/// Instances of one question.
pub(crate) const INSTANCES: usize = 1_000_000;

/// Small values of one type that a search for a counterexample tries, and instances with them: more find little that these
/// do not, and cost a proof that failed time.
pub(crate) const SMALL_VALUES: usize = 200;
pub(crate) const SMALL_INSTANCES: usize = 2_000;

/// How many of them have the same arguments: others are tried, too.
pub(crate) const SMALL_STORES: usize = 500;

/// Ways that are tried to find the stores of all of these. Several fields that nothing determines have more.
pub(crate) const SMALL_BRANCHES: usize = 100_000;

/// Rounds of a comparison that are kept to explain a difference.
pub(crate) const EXPLAINED_STEPS: usize = 64;

/// Parts that are looked at to match one term with another.
pub(crate) const MATCHED_PARTS: usize = 2_000;

/// The same for one pair of terms that is compared symbolically, and for all of them together.
pub(crate) const GAME_MATCH: usize = 400;
pub(crate) const GAME_PARTS: usize = 8_000;

/// The same to see that a pair of terms is an instance of another.
pub(crate) const MATCHED_INSTANCE: usize = 200;

/// Processes that are unfolded one inside the other to match one term with another.
pub(crate) const MATCHED_UNFOLDINGS: u32 = 2;

/// Components or alternatives that are matched with one another in every order, those that are the same left out.
pub(crate) const MATCHED_COMPONENTS: usize = 12;

/// Ways to match one term with another that are kept.
pub(crate) const MATCHED_WAYS: usize = 16;

/// Statements of one program for a contract; a larger one would not be proved in any useful time.
pub(crate) const PROGRAM_STATEMENTS: usize = 20_000;

/// Orders of components that are tried to show that they commute: all of three.
pub(crate) const COMPONENT_ORDERS: u32 = 6;

/// Components that are put one after the other because they commute.
pub(crate) const COMMUTED_COMPONENTS: u64 = 12;

/// How many actions `||` is expanded by, one attempt after the other.
pub(crate) const EXPANDED_ACTIONS: [u32; 3] = [2, 4, 6];

/// Ways to prove a contract that are tried again without processes that they rely on, whose contracts may be wrong.
pub(crate) const WAYS_WITHOUT: usize = 8;

/// Processes without a contract that are unfolded one inside the other in a program.
pub(crate) const PROGRAM_UNFOLDINGS: u32 = 8;

/// Actions with different arguments that a term can do.
pub(crate) const LETTERS: usize = 200;

/// Pairs of actions that are shown to commute for one contract.
pub(crate) const LEMMAS: usize = 400;
