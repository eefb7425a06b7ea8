//! The typed Silver program: what the front end hands to the deductive engine.
//!
//! Every name is resolved to an id, every overloaded operator to one operation, every type variable of a
//! domain application to a type. Macros, imports, ADTs, decreases clauses and predicate instances are gone;
//! impure quantifiers have the shape of quantified permissions. Trees are immutable and shared (`Arc`), so a
//! transformation copies only the path it changes, and workers may read one program at the same time.
//! The depth of an expression or a block never exceeds [`crate::limits::DEPTH`].

mod check;
mod expression;
mod info;
mod printer;
mod program;
mod queries;
mod statement;
mod transform;
mod triggers;
mod types;
mod wands;

pub use check::check_program;
pub use expression::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, LabelReference, MapEntry, PredicateAccess,
    Resource, Trigger, UnaryOperator, Wand,
};
pub use info::{Annotations, Blame};
pub use printer::print;
pub use program::{
    Assumption, AssumptionKind, Axiom, Domain, DomainFunction, DomainFunctionId, DomainFunctionOrigin,
    DomainId, Field, FieldId, Formal, Function, FunctionId, FunctionOrigin, Label, LabelId, Local, LocalId,
    LocalKind, Method, MethodId, MethodOrigin, Predicate, PredicateId, Program, Termination,
};
pub use queries::{
    QuantifiedPermission, contains_inhale_exhale, for_each_expression, free_variables, is_pure,
    structurally_equal, visit_expression, visit_statements, when_exhaling, when_inhaling,
};
pub use statement::{Block, Statement, StatementKind};
pub use transform::{map_children, rewrite_top_down, substitute, transplant};
pub use triggers::{InferredTriggers, infer_triggers, is_collection_operator, is_forbidden_in_trigger};
pub use types::Type;
