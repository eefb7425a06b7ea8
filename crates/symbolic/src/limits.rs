//! Budgets and limits of the deductive engine: all of them, in one table. What is spent is counted in the solver's own
//! units, so that answers do not depend on how fast a machine is. None makes anything proved: where one is met, a question
//! is asked in another way, a proof is not found, less is shown, or the verdict is *unknown*.

// ---- obligations ----

/// What one obligation may cost, in all ways in which it is asked together: far more than any that succeeds needs.
pub(crate) const MUST_RESOURCES: u64 = 600_000_000;

/// The same if it has products of integers. The solver's units last longer there, and a search that does not end soon does
/// not end.
pub(crate) const MUST_PRODUCT_RESOURCES: u64 = 60_000_000;

/// What a question may cost whose answer only decides how work goes on, unless a caller says otherwise. Trades work that
/// is done with more cases for questions without an answer.
pub(crate) const QUICK_RESOURCES: u64 = 200_000;

/// What an obligation costs at first before the solver is asked in another way: most cost less.
pub(crate) const FIRST_RESOURCES: u64 = 2_000_000;

/// To what this is lowered where the other way has led to proofs.
pub(crate) const LEAST_FIRST_RESOURCES: u64 = 100_000;

/// By what it is divided each time.
pub(crate) const FIRST_RESOURCES_DIVISOR: u64 = 4;

/// What is spent at first on a goal with products, which the usual way seldom proves.
pub(crate) const FIRST_PRODUCT_RESOURCES: u64 = 500_000;

/// What the other ways cost, in turn, before everything is spent on one.
pub(crate) const TURN_RESOURCES: [u64; 4] = [5_000_000, 5_000_000, 40_000_000, 40_000_000];

/// What is spent on a question about products with what is known of all of them.
pub(crate) const LEMMA_RESOURCES: u64 = 500_000;

/// What is spent on a question about products after the usual way failed: at first, and before much is spent.
pub(crate) const PRODUCT_RESOURCES: [u64; 2] = [2_000_000, 20_000_000];

/// What is spent on finding a proof of what should have none.
pub(crate) const REFUTE_RESOURCES: u64 = 20_000_000;

/// The same where nobody asked whether there is a proof, each time that it is asked in another way.
pub(crate) const PRECAUTION_RESOURCES: u64 = 2_000_000;

/// What is spent on explaining a failure.
pub(crate) const MODEL_RESOURCES: u64 = 5_000_000;

/// Questions without an answer that are not asked again: a step that is tried again comes back to those of the step.
pub(crate) const QUESTIONS_IN_MIND: usize = 32;

// ---- products of numbers ----

/// Guesses at the values of factors that are looked at before nothing is known.
pub(crate) const GUESSES: usize = 6;

/// What is spent on each guess after the first.
pub(crate) const LATER_GUESS_RESOURCES: u64 = 5_000_000;

/// Numbers that are fixed beside factors: a question with more of them has other troubles.
pub(crate) const FIXED_NUMBERS: usize = 100;

/// Products of which it is said what holds of every product, those of the goal first.
pub(crate) const PRODUCTS_WITH_LEMMAS: usize = 16;

/// Pairs of products of which the order is said; their number grows with the square of the products.
pub(crate) const PAIRS_WITH_LEMMAS: usize = 32;

// ---- quantifiers without triggers, or with triggers that nothing matches ----

/// Values that are tried for one variable; they grow with the body.
pub(crate) const WITNESS_VALUES: usize = 24;

/// The same where there are several variables.
pub(crate) const WITNESS_VALUES_OF_MANY: usize = 7;

/// Combinations of values that are tried for several variables together.
pub(crate) const WITNESS_CHOICES: usize = 64;

/// Nodes of all instances of a question together: where quantifiers are nested, those of the outer ones hold those of the
/// inner ones. More takes longer to write down than the solver has to answer.
pub(crate) const WITNESS_NODES: u64 = 200_000;

/// How far quantifiers are looked for below operations and other quantifiers.
pub(crate) const WITNESS_DEPTH: usize = 200;

/// Values that a range has at most where instances for all of them are to say what a quantifier does. More show failures
/// that need more; each is a body.
pub(crate) const SHORT_RANGE: i64 = 5;

/// The same where there are several variables: there is an instance for each pair.
pub(crate) const SHORT_RANGE_OF_MANY: i64 = 3;

/// Patterns that a quantifier is given beside its own; each is a quantifier for the solver.
pub(crate) const WIDER_PATTERNS: usize = 8;

/// What an instance by such a pattern counts, where others count one: an instance may have terms that match again, and
/// there are at most three of them in a row.
pub(crate) const WIDER_WEIGHT: u32 = 30;

/// References for which it is said once more what is assumed of all of them, before it is asked whether there are values
/// for all others. Each is another body.
pub(crate) const REFERENCES_IN_SIGHT: usize = 12;

/// Axioms that the solver is given for as long as it takes to look at them wherever something occurs that they speak of, before
/// something is called violated. More of them get a short question, and after that only where their patterns occur: with 69
/// of them the long one took a minute.
pub(crate) const WIDE_AXIOMS: usize = 16;

/// Values of a declared type for which each axiom about all of them is said once more. Each is another body.
pub(crate) const NAMED_VALUES: usize = 8;

/// What is spent on a question with values of models in the place of triggers. Where this leads anywhere, it does so soon.
pub(crate) const VALUE_RESOURCES: u64 = 1_000_000;

/// The same for whether what is assumed can be at all.
pub(crate) const PRECAUTION_VALUE_RESOURCES: u64 = 20_000;

/// What is spent on a question with facts that are likely to be of no use: where they are, that shows soon.
pub(crate) const SOON_RESOURCES: u64 = 1_000_000;

/// Pairs of collections whose sizes are compared; each brings the laws of their difference.
pub(crate) const SIZES_COMPARED: usize = 8;

/// Pairs of collections that are compared by their elements since a function is applied to both; each is an equation.
pub(crate) const COLLECTIONS_COMPARED: usize = 12;

/// Places of a sequence that are looked at because it is in an equation.
pub(crate) const FIRST_PLACES: usize = 2;

/// Elements of one collection that it is compared with; each may be the same as each other.
pub(crate) const ELEMENTS_COMPARED: usize = 4;

/// Values between those that a quantifier compares elements with: each is an instance, and an element of a literal.
pub(crate) const MEMBERS_COMPARED: i64 = 16;

/// Elements that collections have at most while a failure is looked at in which sizes occur, one after the other. Few show
/// most failures; each more is another case for every collection.
pub(crate) const FEW_ELEMENTS: [usize; 2] = [3, 8];

/// What is spent on a failure with so few elements.
pub(crate) const FEW_ELEMENT_RESOURCES: u64 = 5_000_000;

// ---- recursive functions ----

/// What is spent on a proof with all steps that the solver asks for: it asks for them without end where arguments are not
/// known, and for few where they are.
pub(crate) const STEP_RESOURCES: u64 = 2_000_000;

/// Steps that all ranges and chains of applications have at most while a failure is looked at, one after the other. Few
/// show most failures; more are for programs that say how many there are. The solver has to look at all steps, each of
/// which follows from the one before: it does not go on for much longer.
pub(crate) const UNROLLED_STEPS: [i64; 3] = [4, 16, 32];

/// What is spent on each number of steps after the first.
pub(crate) const FURTHER_STEP_RESOURCES: u64 = 5_000_000;

// ---- steps ----

/// Conditions that one step may be split on, one inside the other: two to that many cases.
pub(crate) const SPLITS: u32 = 5;

/// How deep a term is searched for choices that the path has made.
pub(crate) const SIMPLIFIED_DEPTH: u32 = 24;

/// Nodes that are looked at on the way: a choice that occurs many times is looked at each time.
pub(crate) const SIMPLIFIED_NODES: u32 = 2_000;

/// How often a predicate may be open in its own body for an `unfolding`; nothing is known of deeper values.
pub(crate) const NESTED_UNFOLDINGS: usize = 1;

// ---- quantified permissions ----

/// Chunks without a constant in common with what is asked for that are still asked one by one.
pub(crate) const STRANGERS: usize = 4;

/// Amounts that are tried as one bound for what is held of infinitely many locations.
pub(crate) const SHARE_CANDIDATES: usize = 12;

/// Partings of chunks that are remembered, the latest; they are looked at where a step fails.
pub(crate) const PARTINGS: usize = 40;

/// Quantifiers that one is written as where patterns need different variables.
pub(crate) const QUANTIFIERS_OF_ONE: usize = 3;

// ---- instances of domains ----

/// How often a type argument may be wrapped while instances lead to instances.
pub(crate) const INFLATION: usize = 1;

/// Instances of all domains together. A domain with many parameters that mentions itself with permutations of them could
/// need more; without their axioms fewer things can be proved, nothing wrong.
pub(crate) const INSTANCES: usize = 10_000;

// ---- counterexamples: how much is shown; longer ones are not read ----

pub(crate) const SHOWN_VALUES: usize = 40;
pub(crate) const SHOWN_VARIABLES: usize = 24;
pub(crate) const SHOWN_CHUNKS: usize = 40;

/// Applications of functions in the goal.
pub(crate) const SHOWN_APPLICATIONS: usize = 6;

/// Sizes and elements that the goal does not mention.
pub(crate) const SHOWN_RELATED: usize = 8;

/// Elements of one collection.
pub(crate) const SHOWN_ELEMENTS: u32 = 3;

/// Nodes of a term whose value is asked for; of a larger one it takes too long.
pub(crate) const ASKED_NODES: u32 = 5_000;

/// Characters of a name, and how deep it is nested; longer names explain nothing.
pub(crate) const NAME_WIDTH: usize = 60;
pub(crate) const NAME_DEPTH: u32 = 4;

// ---- the machine ----

/// Terms of one job: about two gigabytes.
pub(crate) const TERMS: usize = 8_000_000;

/// Parts of assertions and expressions between two looks at the clock: a limit is met late by at most so many.
pub(crate) const PARTS_BETWEEN_LOOKS: u32 = 16;

/// Bytes of a worker's stack: proofs recurse as deep as programs are nested, which the front end bounds.
pub(crate) const STACK_BYTES: usize = 512 << 20;
