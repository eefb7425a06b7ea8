//! Programs that follow process-algebraic models (VMCAI 2020, figures 3 to 5).
//!
//! A term is a value of a Silver type without axioms ([`terms`]). Whoever writes a term gets the equations that hold of it:
//! each term of the program is a function whose postconditions are ground equations from the crate `process`.
//! A part of a model is a predicate `model_state(m, q, T)` with the fraction as an argument ([`resources`]).
//! A field is its value and tokens that say who may do what with it ([`fields`]); the promise of a model are cells for the
//! final values and a flag for whether the model ends ([`steps`]). Processes for many values are a function from values to
//! processes and what is made of it ([`members`]). Steps look for a part that allows them among all that
//! are held ([`steps`], [`actions`]).

mod actions;
mod algebra;
mod contracts;
mod created;
mod definedness;
mod fields;
mod found;
mod iterated;
mod laws;
mod left_out;
mod members;
mod obligations;
mod proofs;
mod receivers;
mod remainders;
mod rendering;
mod resources;
mod spelled;
mod stated;
mod steps;
mod terms;
mod threads;
mod values;
mod written;

pub(super) use self::actions::ActionBlock;
pub(crate) use self::algebra::AlgebraicModel;
pub(super) use self::contracts::ModelView;
pub use self::created::Created;
pub(super) use self::left_out::{Actual, Stayed};
pub use self::proofs::{ContractWay, ContractWays};
pub(super) use self::terms::TermFunctions;
pub(super) use self::threads::Taken;
pub(super) use self::written::WrittenTerm;
