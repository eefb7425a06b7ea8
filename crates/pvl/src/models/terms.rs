//! Process terms.

use process::{Binder, ExpressionKind, Term, TermKind, Type, Value};

use super::Converter;
use crate::resolve::CallTarget;
use crate::syntax::tree::{self, BinaryOperator, Builtin, QuantifierKind};

impl<'tree> Converter<'_, 'tree> {
    /// A term; the parser bounds its depth.
    pub(super) fn term(&mut self, term: &'tree tree::Expression) -> Term {
        let kind = self.term_kind(term);
        Term::new(kind, term.span)
    }

    fn term_kind(&mut self, term: &'tree tree::Expression) -> TermKind {
        use tree::ExpressionKind as Kind;
        match &*term.kind {
            Kind::EmptyProcess => TermKind::Empty,
            Kind::StuckProcess => TermKind::Deadlock,
            Kind::Binary(operator, left, right) => {
                let (left, right) = (self.term(left), self.term(right));
                match operator {
                    BinaryOperator::Multiply => TermKind::Sequence(left, right),
                    BinaryOperator::Add => TermKind::Choice(left, right),
                    _ => TermKind::Parallel(left, right),
                }
            }
            Kind::Conditional(condition, then, otherwise) => {
                let condition = self.expression(condition);
                TermKind::Conditional(condition, self.term(then), self.term(otherwise))
            }
            Kind::Builtin(Builtin::Iterate, arguments) => match &arguments[..] {
                [process] => TermKind::Iteration(self.term(process)),
                _ => TermKind::Deadlock,
            },
            Kind::Quantifier { kind, bindings, condition, body } => {
                self.bound(*kind, bindings, condition.as_ref(), body)
            }
            Kind::Call(call) => {
                let arguments = call.arguments.iter().map(|argument| self.expression(argument)).collect();
                match self.resolution.calls.get(&term.id) {
                    Some(CallTarget::Process(member)) => {
                        if let Some(action) = self.actions.get(member) {
                            TermKind::Action(*action, arguments)
                        } else if let Some(process) = self.processes.get(member) {
                            TermKind::Call(*process, arguments)
                        } else {
                            TermKind::Foreign(self.foreign("a process of another model"))
                        }
                    }
                    _ => TermKind::Foreign(self.foreign("what a method returns")),
                }
            }
            Kind::Trigger(_, inner) => self.term_kind(inner),
            _ => TermKind::Foreign(self.foreign("a variable of type process")),
        }
    }

    /// `\sum` and `\par`; the condition belongs to the innermost variable.
    fn bound(
        &mut self,
        kind: QuantifierKind,
        bindings: &'tree [tree::Binding],
        condition: Option<&'tree tree::Expression>,
        body: &'tree tree::Expression,
    ) -> TermKind {
        let binders: Vec<Binder> = bindings.iter().map(|binding| self.binder(binding)).collect();
        let is_true = |span| {
            process::Expression::new(ExpressionKind::Literal(Value::Boolean(true)), Type::Boolean, span)
        };
        let condition = match condition {
            Some(condition) => self.expression(condition),
            None => is_true(body.span),
        };
        let mut inner = self.term(body);
        let mut last = Some(condition);
        for binder in binders.into_iter().rev() {
            let kind = if kind == QuantifierKind::Parallel {
                TermKind::Family(binder, inner)
            } else {
                TermKind::Sum(binder, last.take().unwrap_or_else(|| is_true(body.span)), inner)
            };
            inner = Term::new(kind, body.span);
        }
        inner.kind().clone()
    }
}
