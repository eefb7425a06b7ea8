//! From expressions to code over words. Functions keep their numbers.

use crate::expression::{Expression, ExpressionKind, Moment, Unary};

use super::code::{Code, CodeBinder};
use super::words::Table;

/// Makes code whose literals are words of a table.
pub(crate) struct Compiler<'t> {
    pub(crate) table: &'t mut Table,
}

impl Compiler<'_> {
    pub(crate) fn all(&mut self, expressions: &[Expression]) -> Vec<Code> {
        expressions.iter().map(|expression| self.code(expression)).collect()
    }

    /// The depth of expressions is bounded by whoever made them.
    pub(crate) fn code(&mut self, expression: &Expression) -> Code {
        match expression.kind() {
            ExpressionKind::Literal(value) => Code::Constant(self.table.word(value)),
            ExpressionKind::Variable(variable) => Code::Variable(variable.0),
            ExpressionKind::Field(field, Moment::Now) => Code::Now(field.0),
            ExpressionKind::Field(field, Moment::Start) => Code::Start(field.0),
            ExpressionKind::Foreign(number) => Code::Foreign(*number),
            ExpressionKind::Unary(Unary::Not, a) => Code::Not(Box::new(self.code(a))),
            ExpressionKind::Unary(Unary::Negate, a) => Code::Negate(Box::new(self.code(a))),
            ExpressionKind::Binary(operator, a, b) => {
                Code::Binary(*operator, Box::new(self.code(a)), Box::new(self.code(b)))
            }
            ExpressionKind::Conditional(a, b, c) => {
                Code::Conditional(Box::new(self.code(a)), Box::new(self.code(b)), Box::new(self.code(c)))
            }
            ExpressionKind::Let(variable, value, body) => {
                Code::Let(variable.0, Box::new(self.code(value)), Box::new(self.code(body)))
            }
            ExpressionKind::Call(function, arguments) => Code::Call(function.0, self.all(arguments)),
            ExpressionKind::Builtin(builtin, operands) => {
                let operands = self.all(operands);
                Code::Builtin(builtin.clone(), operands)
            }
            ExpressionKind::Quantified(quantifier, binders, condition, body) => {
                let binders = binders.iter().map(|binder| CodeBinder {
                    variable: binder.variable.0,
                    ty: binder.ty.clone(),
                    range: binder.range.as_ref().map(|(low, high)| (self.code(low), self.code(high))),
                });
                let binders = binders.collect();
                let (condition, body) = (Box::new(self.code(condition)), Box::new(self.code(body)));
                Code::Quantified(*quantifier, binders, condition, body)
            }
        }
    }
}
