//! The parse tree: what was written, before names and types mean anything.
//!
//! Every node that later stages may want to say something about has a [`NodeId`]; what they find out is kept in
//! tables under these ids. Parentheses are not kept; the printer puts them where precedence asks for them.
//! What the old dialect writes differently and means the same is read into the nodes of the new one.

mod contract;
mod declaration;
mod expression;
mod formula;
mod statement;
mod types;
mod walk;

use std::fmt;
use std::sync::Arc;

use source::{FileId, Span};

pub use contract::{Clause, ClauseKind, Contract, Measure};
pub use declaration::{
    Adt, AdtAxiom, AdtFunction, Class, ClassMember, ClassMemberKind, Constructor, Declaration,
    DeclarationKind, Enum, EnumConstant, Fields, Function, Lemma, Method, Model, ModelKind, ModelMember,
    ModelMemberKind, Modifiers, NamedFormula, Operator, Predicate, PredicateKind, Process, ProverFunction,
    ProverInterpretation, ProverLanguage, ProverType, RewriteRule, Routine, RoutineName, Run,
};
pub use expression::{
    BinaryOperator, Binding, Builtin, Call, CollectionKind, Expression, ExpressionKind, GivenArgument,
    PermissionKind, QuantifierKind, Selector, TriggerGroup, UnaryOperator, YieldsResult,
};
pub use formula::{Formula, FormulaKind, Question, Range, RangeKind, Temporal};
pub use statement::{
    Block, Branch, CalcStep, Declarator, ParBlock, ParRegion, ParRegionKind, RangeVariable, Statement,
    StatementKind,
};
pub use types::{Type, TypeKind};

/// An identifier at a place; the text is without the back-ticks of an escaped one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Name {
    pub text: Arc<str>,
    pub span: Span,
}

/// Names a node of the tree, uniquely among all files of a run.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId {
    pub file: FileId,
    pub index: u32,
}

impl fmt::Debug for NodeId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}.{}", self.file.0, self.index)
    }
}

/// The language of VerCors 1.x or of VerCors 2.x.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub enum Dialect {
    Old,
    #[default]
    New,
}

/// The contents of one file, or of several that together form one program.
#[derive(Clone, Default, Debug)]
pub struct Program {
    pub dialect: Dialect,
    pub declarations: Vec<Declaration>,
    /// In order of their opening brackets.
    pub expectations: Vec<Expectation>,
}

/// `[/expect code] … [/end]`: a failure with this code is expected exactly once inside.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expectation {
    pub code: Arc<str>,
    /// From the start of the opening bracket to the end of the closing one.
    pub span: Span,
    pub opening: Span,
}

impl Expectation {
    pub fn contains(&self, span: Span) -> bool {
        self.span.file == span.file && self.span.start <= span.start && span.end <= self.span.end
    }
}

/// `type name`
#[derive(Clone, Debug)]
pub struct Parameter {
    pub id: NodeId,
    pub ty: Type,
    pub name: Name,
    pub span: Span,
}

/// A type variable of a class, routine or data type.
#[derive(Clone, Debug)]
pub struct TypeParameter {
    pub id: NodeId,
    pub name: Name,
}
