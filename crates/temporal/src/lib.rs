//! Linear temporal logic and the automata that decide it.
//!
//! A formula is read in SPIN's or Spot's notation into a [`FormulaStore`], simplified, and translated into a
//! small transition-based generalised Büchi automaton; from there to the other kinds of Büchi automata and out to
//! HOA, never claims and pictures. The crate computes only: it opens no file and prints nothing.
//!
//! ```
//! use temporal::{AcceptanceKind, Dialect, FormulaStore, Lasso, accepts, evaluate, parse, translate};
//!
//! let mut store = FormulaStore::new();
//! let (response, diagnostics) = parse(&mut store, source::FileId(0), "[] (p -> <> {x == 2})", Dialect::Spin);
//! assert!(diagnostics.is_empty());
//! let violation = store.not(response);
//! let automaton = translate(&mut store, violation, AcceptanceKind::Tgba).unwrap();
//! assert_eq!((automaton.states.len(), automaton.propositions.len()), (2, 2));
//!
//! // Bit 0 is `p`, bit 1 is `x == 2`: a request that is never answered.
//! let word = Lasso { stem: vec![0b00, 0b01], cycle: vec![0b00] };
//! assert!(accepts(&automaton, &word) && evaluate(&store, violation, &word));
//! ```
#![forbid(unsafe_code)]

mod automaton;
mod bdd;
mod classify;
mod components;
mod degeneralise;
mod determinise;
mod evaluate;
mod formula;
mod gf_guarantee;
mod hoa;
mod kinds;
mod label;
mod limits;
mod never;
mod normal_form;
mod pictures;
mod product;
mod progress;
mod prune;
mod safety;
mod simplify;
mod simulation;
mod stutter;
mod symbolic;
mod syntax;
mod tableau;
mod translate;
mod weak_minimise;
mod word;

pub use automaton::{AcceptanceKind, Automaton, Edge, Marks, State};
pub use classify::{Classification, Component, classify};
pub use components::ComponentKind;
pub use evaluate::{Lasso, Valuation, evaluate, evaluate_with};
pub use formula::{Atom, Formula, FormulaStore, Node};
pub use hoa::{read_hoa, write_hoa};
pub use kinds::convert;
pub use label::{Cube, Label};
pub use limits::{DEPTH as MAXIMUM_DEPTH, PROPOSITIONS as MAXIMUM_PROPOSITIONS, SETS as MAXIMUM_SETS};
pub use never::{read_never_claim, write_never_claim};
pub use pictures::{write_dot, write_svg};
pub use progress::{progress, refuted_part};
pub use safety::is_safety;
pub use simplify::simplify;
pub use stutter::{StutterInvariance, automaton_stutter_invariance, formula_stutter_invariance};
pub use syntax::{Dialect, DisplayFormula, display, parse};
pub use translate::{TranslationError, translate};
pub use word::accepts;
