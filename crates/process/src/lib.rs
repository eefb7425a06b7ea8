//! Process-algebraic models with data: what they are made of, the algebra of their terms, and how they move.
//!
//! A model has fields, actions whose contracts say how they change the fields, and processes that are put together from
//! actions ([`Model`], [`Term`]). Nothing here knows the language that a model was written in: expressions are typed
//! and resolved, and what only the language understands is a leaf with a number ([`ExpressionKind::Foreign`],
//! [`TermKind::Foreign`]).
//!
//! The definitions follow Oortwijn, Gurov and Huisman, *Practical Abstractions for Automated Verification of
//! Shared-Memory Concurrency* (VMCAI 2020), section 3.1 and figure 2, with parameters, conditions, recursion and sums as
//! in its section 4.
#![forbid(unsafe_code)]

mod equality;
mod evaluate;
mod explore;
mod expression;
mod head;
mod limits;
mod linearise;
mod model;
mod normal;
mod oracle;
mod question;
mod shared;
mod simplify;
mod solve;
mod substitute;
mod term;
mod termination;
mod types;
mod value;

pub use equality::{Difference, Distinction, Doubt, Entailment, Equality, Equation, Step as ComparedStep};
pub use explore::{Atom, Explorer, Failing, Instance, Step, StepText, Successor};
pub use expression::{Binary, Binder, Builtin, Expression, ExpressionKind, Moment, Quantifier, Unary};
pub use head::{Frame, Guard, Head, Opaque, Summand};
pub use linearise::{
    Block, Claim, ContractProof, Effects, Lemma, Refusal, StatedEffects, Statement, Strategy, Way,
    contract_proof, contract_proofs,
};
pub use model::{
    Action, ActionId, Constructor, DataId, DataType, Enumeration, EnumerationId, Field, FieldId, Function,
    FunctionId, Model, Parameter, Process, ProcessId, VariableId,
};
pub use normal::{Algebra, Bound, Limit, Normal, NormalKind};
pub use oracle::{Answer, OnSight, Oracle};
pub use question::{Question, Range, RangeKind};
pub use substitute::Substitution;
pub use term::{Term, TermKind};
pub use types::Type;
pub use value::Value;
