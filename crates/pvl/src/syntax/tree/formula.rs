//! Formulas about the runs of a model, and what is asked about one beside its text.

use source::Span;

use super::{Expression, Name, NodeId};

/// A formula of linear temporal logic over conditions of a model.
#[derive(Clone, Debug)]
pub struct Formula {
    pub id: NodeId,
    pub kind: Box<FormulaKind>,
    pub span: Span,
    /// Height of the tree, so that no pass meets one that is too deep for it.
    pub depth: u32,
}

#[derive(Clone, Debug)]
pub enum FormulaKind {
    /// A condition over the fields.
    Condition(Expression),
    /// `\did(a)` or `\did(a(e))`: the last step was this action.
    Did {
        action: Name,
        arguments: Option<Vec<Expression>>,
    },
    /// `\ended`: the process may terminate.
    Ended,
    Unary(Temporal, Formula),
    Binary(Temporal, Formula, Formula),
}

/// The operators of formulas.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Temporal {
    Not,
    Next,
    Always,
    Eventually,
    And,
    Or,
    Implies,
    Equivalent,
    Until,
    WeakUntil,
    Release,
}

impl Temporal {
    pub fn text(self) -> &'static str {
        match self {
            Temporal::Not => "!",
            Temporal::Next => "X",
            Temporal::Always => "[]",
            Temporal::Eventually => "<>",
            Temporal::And => "&&",
            Temporal::Or => "||",
            Temporal::Implies => "->",
            Temporal::Equivalent => "<->",
            Temporal::Until => "U",
            Temporal::WeakUntil => "W",
            Temporal::Release => "R",
        }
    }
}

impl Formula {
    pub fn new(id: NodeId, kind: FormulaKind, span: Span) -> Formula {
        let below = match &kind {
            FormulaKind::Condition(condition) => condition.depth,
            FormulaKind::Did { arguments, .. } => {
                arguments.iter().flatten().map(|argument| argument.depth).max().unwrap_or(0)
            }
            FormulaKind::Ended => 0,
            FormulaKind::Unary(_, operand) => operand.depth,
            FormulaKind::Binary(_, left, right) => left.depth.max(right.depth),
        };
        Formula { id, kind: Box::new(kind), span, depth: below + 1 }
    }

    /// Calls `f` on the conditions and arguments in it, in source order.
    pub fn for_each_expression<'tree>(&'tree self, f: &mut dyn FnMut(&'tree Expression)) {
        match &*self.kind {
            FormulaKind::Condition(condition) => f(condition),
            FormulaKind::Did { arguments, .. } => arguments.iter().flatten().for_each(f),
            FormulaKind::Ended => {}
            FormulaKind::Unary(_, operand) => operand.for_each_expression(f),
            FormulaKind::Binary(_, left, right) => {
                left.for_each_expression(f);
                right.for_each_expression(f);
            }
        }
    }
}

/// What is asked about one model beside its text: which of its processes, for which values. Later ranges may use
/// the names of earlier ones.
#[derive(Clone, Debug)]
pub struct Question {
    pub ranges: Vec<Range>,
    /// A process of a model with its arguments; there is none where only formulas are read.
    pub process: Option<Expression>,
    /// What must be true of the values.
    pub conditions: Vec<Expression>,
    pub formulas: Vec<Formula>,
}

/// `name in range`
#[derive(Clone, Debug)]
pub struct Range {
    pub id: NodeId,
    pub name: Name,
    pub kind: RangeKind,
    pub span: Span,
}

#[derive(Clone, Debug)]
pub enum RangeKind {
    /// `low .. high`, the upper bound excluded
    Interval(Expression, Expression),
    /// `{a, b}`
    Listed(Vec<Expression>),
    /// `permutations(range)`
    Permutations(Box<RangeKind>),
    /// `sequences(length, range)`
    Sequences(Expression, Box<RangeKind>),
}
