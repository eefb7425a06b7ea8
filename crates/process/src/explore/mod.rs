//! How a model moves: states as words, their steps, where they may end and what is true in them.
//!
//! A state is the number of its instance, what the last step was (where somebody asks), the fields, and the components of
//! the term side by side, in an order that depends on nothing but which they are; equal components are counted. What a
//! component offers does not depend on the fields and is found once; what an action does is found once for all states in
//! which what it reads is the same.
//!
//! Several explorers may search one model together ([`Explorer::another`]): what the words of a state mean is the same for all
//! of them (`common`, and the values of `evaluate`), and what each has found out it keeps for itself.

mod common;
mod components;
mod effects;
mod explorer;
mod instances;
mod interner;
mod kept;
mod layout;
mod normal;
mod offers;
mod program;
mod shortcuts;
mod show;
mod small;

pub use explorer::{Atom, Explorer, Failing, Step, StepText, Successor};
pub use instances::Instance;
