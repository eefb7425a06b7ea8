//! The port for model languages: all that a run needs to know of the language a model is written in.
//!
//! A language reads texts ([`ModelLanguage`]) and gives a [`LoadedModel`]: something that lists its properties, reads
//! formulas over expressions of its own, checks a [`Property`] and can be walked through step by step. No room above
//! this one names a language. There are three ways to be a model:
//!
//! - A language that *lowers* its models into `transition` implements [`lowered::Lowers`]. All the rest is there already:
//!   compiled successors, merging, partial-order reduction, never claims, fairness, coverage, and counterexamples that
//!   are replayed on the unreduced model.
//! - A language that *explores* states of its own implements [`explored::Explored`]: where runs begin, which steps
//!   leave a state, where a run may end, which conditions hold. Its states are stored and searched like any others, and
//!   counterexamples are walked again by the language alone and judged on the run.
//!
//! - A language whose models are process terms with data gives a [`processes::ProcessModel`]; how terms move is known in
//!   `process`.
//!
//! Which of them it is shows once per search, never per state: the searches are compiled for each kind of product.
#![forbid(unsafe_code)]
#![deny(missing_docs)]

mod answer;
mod drive;
pub mod explored;
mod formula;
mod goal;
mod kept;
mod limits;
mod lossy;
pub mod lowered;
mod memo;
mod options;
mod port;
pub mod processes;
mod property;
mod reports;
mod sentences;
mod shorten;
mod simulate;
mod sought;
mod watched;
mod word_store;

pub use answer::{Answer, Checked, Refused};
pub use formula::{Ltl, read_ltl};
pub use options::{
    KeepsSearch, LanguageOption, LoadOptions, PartialOrder, Reductions, SearchOptions, StoreKind,
};
pub use port::{AtomId, Contents, FormulaId, LoadedModel, ModelLanguage, Open, Vocabulary};
pub use property::Property;
pub use simulate::{Choice, Simulation, Unstarted};
pub use store::Lossy;
