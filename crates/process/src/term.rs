//! Terms as they are written: the process algebra of VMCAI 2020, definition 1, with data, conditions and recursion.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use source::Span;

use crate::expression::{Binder, Expression};
use crate::limits;
use crate::model::{ActionId, ProcessId};
use crate::substitute::Substitution;

/// A term with its place. Terms are shared and never change; places do not count when they are compared.
#[derive(Clone, Debug)]
pub struct Term {
    node: Arc<Node>,
}

#[derive(Debug)]
struct Node {
    kind: TermKind,
    span: Span,
    size: u64,
    depth: u32,
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
        let (mut size, mut depth) = (1_u64, 0);
        for part in kind.parts() {
            size = size.saturating_add(part.node.size);
            depth = depth.max(part.node.depth);
        }
        Term { node: Arc::new(Node { kind, span, size, depth: depth.saturating_add(1) }) }
    }

    /// How many nodes it has when it is written out, what is shared as often as it is used.
    pub fn size(&self) -> u64 {
        self.node.size
    }

    /// How deep it is nested.
    pub fn depth(&self) -> u32 {
        self.node.depth
    }

    /// The term with other data, and with other numbers for the terms that only the language knows; nothing if one of these
    /// has no number, or if it is nested too deep.
    pub fn with_other_leaves(&self, data: &Substitution, terms: &[u32]) -> Option<Term> {
        if self.depth() > limits::DROPPED_BY_RECURSION {
            return None;
        }
        let part = |part: &Term| part.with_other_leaves(data, terms);
        let kind = match self.kind() {
            TermKind::Empty => TermKind::Empty,
            TermKind::Deadlock => TermKind::Deadlock,
            TermKind::Action(action, arguments) => TermKind::Action(*action, data.apply_all(arguments)),
            TermKind::Call(process, arguments) => TermKind::Call(*process, data.apply_all(arguments)),
            TermKind::Sequence(left, right) => TermKind::Sequence(part(left)?, part(right)?),
            TermKind::Choice(left, right) => TermKind::Choice(part(left)?, part(right)?),
            TermKind::Parallel(left, right) => TermKind::Parallel(part(left)?, part(right)?),
            TermKind::Conditional(condition, yes, no) => {
                TermKind::Conditional(data.apply(condition), part(yes)?, part(no)?)
            }
            TermKind::Iteration(body) => TermKind::Iteration(part(body)?),
            TermKind::Sum(binder, condition, body) => {
                TermKind::Sum(data.apply_to_binder(binder), data.apply(condition), part(body)?)
            }
            TermKind::Family(binder, body) => TermKind::Family(data.apply_to_binder(binder), part(body)?),
            TermKind::Foreign(number) => TermKind::Foreign(*terms.get(*number as usize)?),
        };
        Some(Term::new(kind, self.span()))
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

impl Drop for Node {
    /// A long chain is taken apart in a loop: dropping it link by link would nest as deep as it is long.
    fn drop(&mut self) {
        if self.depth < limits::DROPPED_BY_RECURSION {
            return;
        }
        let mut waiting = vec![std::mem::replace(&mut self.kind, TermKind::Empty)];
        while let Some(kind) = waiting.pop() {
            let parts: Vec<Term> = kind.parts().cloned().collect();
            drop(kind);
            for part in parts {
                if let Ok(mut node) = Arc::try_unwrap(part.node) {
                    waiting.push(std::mem::replace(&mut node.kind, TermKind::Empty));
                }
            }
        }
    }
}

impl TermKind {
    /// The terms that this is directly made of, from left to right.
    pub fn parts(&self) -> impl Iterator<Item = &Term> {
        let (first, second) = match self {
            TermKind::Empty
            | TermKind::Deadlock
            | TermKind::Action(..)
            | TermKind::Call(..)
            | TermKind::Foreign(_) => (None, None),
            TermKind::Sequence(left, right)
            | TermKind::Choice(left, right)
            | TermKind::Parallel(left, right)
            | TermKind::Conditional(_, left, right) => (Some(left), Some(right)),
            TermKind::Iteration(body) | TermKind::Sum(_, _, body) | TermKind::Family(_, body) => {
                (Some(body), None)
            }
        };
        first.into_iter().chain(second)
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
