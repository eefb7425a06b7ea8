//! Terms as they are written: the process algebra of VMCAI 2020, definition 1, with data, conditions and recursion.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use source::Span;

use crate::expression::{Binder, Expression};
use crate::model::{ActionId, ProcessId};

/// A term with its place. Terms are shared and never change; places do not count when they are compared.
#[derive(Clone, Debug)]
pub struct Term {
    node: Arc<Node>,
}

#[derive(Debug)]
struct Node {
    kind: TermKind,
    span: Span,
}

/// What a term is. Conditions and arguments read parameters and bound variables, never fields.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum TermKind {
    /// ε: nothing more is done.
    Empty,
    /// δ: nothing can be done, and it may not end here.
    Deadlock,
    /// An action with its arguments.
    Action(ActionId, Vec<Expression>),
    /// A declared process with its arguments.
    Call(ProcessId, Vec<Expression>),
    /// P·Q
    Sequence(Term, Term),
    /// P+Q
    Choice(Term, Term),
    /// P‖Q
    Parallel(Term, Term),
    /// P if the condition is true, else Q
    Conditional(Expression, Term, Term),
    /// P*: any number of P one after the other
    Iteration(Term),
    /// Σ: P for one value of the variable for which the condition is true
    Sum(Binder, Expression, Term),
    /// P for all integers of the binder's range, side by side
    Family(Binder, Term),
    /// A term that only the language knows: a variable of type process, by its number there.
    Foreign(u32),
}

impl Term {
    /// A term at its place.
    pub fn new(kind: TermKind, span: Span) -> Term {
        Term { node: Arc::new(Node { kind, span }) }
    }

    /// What it is.
    pub fn kind(&self) -> &TermKind {
        &self.node.kind
    }

    /// Where it is written.
    pub fn span(&self) -> Span {
        self.node.span
    }
}

impl PartialEq for Term {
    fn eq(&self, other: &Term) -> bool {
        Arc::ptr_eq(&self.node, &other.node) || self.node.kind == other.node.kind
    }
}

impl Eq for Term {}

impl Hash for Term {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.node.kind.hash(state);
    }
}
