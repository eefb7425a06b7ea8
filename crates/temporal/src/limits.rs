//! Bounds on formulas and automata, and budgets of the constructions: all of them, in one table.
//!
//! A bound on what is read is an error where it is met. A budget of a construction that only makes an automaton
//! smaller is not: the larger automaton is used.

/// The nesting beyond which formulas are refused by the parser and by the algorithms that recurse on them. Trades
/// the deepest formula for the stack of each of them.
pub const DEPTH: u32 = 500;

/// Acceptance sets of an automaton: they are the bits of one word.
pub const SETS: u32 = 32;

/// Propositions that an automaton can read: a valuation is one word.
pub const PROPOSITIONS: usize = 64;

/// Messages about a text, of each kind; beyond this many a text is noise.
pub(crate) const MESSAGES: usize = 20;

/// Nesting of labels and acceptance conditions in HOA; guards the stack.
pub(crate) const HOA_NESTING: u32 = 200;

/// States of an automaton that is read from HOA; one is numbered before anything is known about it.
pub(crate) const HOA_STATES: u64 = 1_000_000;

/// Pieces after which the text of a formula is cut, with an ellipsis that no parser accepts. Formulas share
/// subformulas, so the text of one can be exponentially longer than the formula.
pub(crate) const PRINTED_PIECES: usize = 200_000;

/// Nodes of decision diagrams before a manager gives up, and with it the construction it works for. Bounds the memory
/// of a translation.
pub(crate) const DIAGRAM_NODES: usize = 1_000_000;

/// Cubes of a cover before the manager gives up.
pub(crate) const CUBES: usize = 20_000;

/// States of a tableau; a formula that needs more is refused.
pub(crate) const TABLEAU_STATES: usize = 20_000;

/// Edges of a tableau, for the same.
pub(crate) const TABLEAU_EDGES: usize = 200_000;

/// Edges above which a tableau is not varied any further: looking for a smaller automaton costs more the larger the
/// first one is.
pub(crate) const VARIED_EDGES: usize = 2_000;

/// States of a tableau whose states are simplified one by one.
pub(crate) const REFINED_STATES: usize = 500;

/// States of the subset constructions that look for a smaller weak automaton.
pub(crate) const SUBSET_STATES: usize = 2_000;

/// Cuts of labels in one determinisation; few states can have very many labels.
pub(crate) const LABEL_CUTS: usize = 1_500_000;

/// States of the product by which two automata are compared.
pub(crate) const COMPARED_STATES: usize = 20_000;

/// States up to which states are compared by simulation. The relation is quadratic.
pub(crate) const SIMULATED_STATES: usize = 400;

/// Edges for the same.
pub(crate) const SIMULATED_EDGES: usize = 4_000;

/// Acceptance sets for which all orders are tried when the sets become one: 120 orders.
pub(crate) const ALL_ORDERS: usize = 5;

/// States of the automaton by which a formula is proved stutter-invariant; beyond, reductions that need it are off.
pub(crate) const STUTTER_STATES: usize = 2_000;

/// Edges that a state's closure under stuttering may grow to.
pub(crate) const STUTTER_EDGES: usize = 50_000;

/// Rewriting steps at one place of a formula; the rules shrink, so this is never met in practice.
pub(crate) const REWRITING_STEPS: u32 = 60;

/// Pairs of formulas whose implication is kept; beyond, the answer is no, which only leaves a formula larger.
pub(crate) const IMPLICATION_PAIRS: usize = 400_000;

/// Questions about containment that a simplification asks of automata.
pub(crate) const CONTAINMENT_QUESTIONS: u32 = 400;

/// Distinct subformulas of both sides of such a question.
pub(crate) const CONTAINMENT_SIZE: usize = 40;

/// States of the automaton that answers it.
pub(crate) const CONTAINMENT_STATES: usize = 150;

/// States above which a picture is no help and none is drawn.
pub(crate) const PICTURE_STATES: usize = 200;

/// Characters of a label in a picture; the full label is in the tooltip.
pub(crate) const PICTURE_TEXT: usize = 60;
