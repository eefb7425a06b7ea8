//! `assume` as `inhale` of pure formulas.
//!
//! Assuming an accessibility predicate means to assume that the permission is held already: `acc(x.f, p)` becomes
//! `perm(x.f) >= p`. For separating conjunction the amounts of earlier conjuncts that may speak about the same
//! location are added up under the condition that they do. An amount under a quantifier is bounded on its own.

use std::sync::Arc;

use source::Span;

use crate::typed::{
    BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, FieldId, PredicateId, Resource,
    Statement, StatementKind, Type, is_pure,
};

/// The statement for `assume assumption`: one `inhale` for each conjunct.
pub(super) fn assume(assumption: &ExpressionRef) -> StatementKind {
    let rewritten = if is_pure(assumption) {
        assumption.clone()
    } else {
        Rewriting::default().rewrite(assumption, &None)
    };
    let mut conjuncts = Vec::new();
    split(&rewritten, &mut conjuncts);
    match conjuncts.as_slice() {
        [only] => StatementKind::Inhale(only.clone()),
        _ => StatementKind::Block(Block::of(
            conjuncts
                .iter()
                .map(|conjunct| Statement::new(StatementKind::Inhale(conjunct.clone()), conjunct.span))
                .collect(),
        )),
    }
}

fn split(expression: &ExpressionRef, conjuncts: &mut Vec<ExpressionRef>) {
    let mut stack = vec![expression.clone()];
    while let Some(node) = stack.pop() {
        match &node.kind {
            ExpressionKind::Binary(BinaryOperator::And, left, right) => {
                stack.extend([right.clone(), left.clone()])
            }
            _ => conjuncts.push(node),
        }
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Location {
    Field(FieldId),
    Predicate(PredicateId),
}

/// An amount that an earlier conjunct speaks about.
struct Frame {
    location: Location,
    condition: Option<ExpressionRef>,
    arguments: Arc<[ExpressionRef]>,
    amount: ExpressionRef,
}

#[derive(Default)]
struct Rewriting {
    frames: Vec<Frame>,
    inside_quantifier: bool,
}

impl Rewriting {
    fn rewrite(&mut self, expression: &ExpressionRef, condition: &Option<ExpressionRef>) -> ExpressionRef {
        let span = expression.span;
        match &expression.kind {
            _ if is_pure(expression) => expression.clone(),
            ExpressionKind::Binary(BinaryOperator::Implies, left, right) => {
                let condition = Some(conjoin(condition.clone(), left.clone(), span));
                let right = self.rewrite(right, &condition);
                expression.with_kind(ExpressionKind::Binary(BinaryOperator::Implies, left.clone(), right))
            }
            ExpressionKind::Forall { variables, triggers, body } => {
                let outer = std::mem::replace(&mut self.inside_quantifier, true);
                let body = self.rewrite(body, condition);
                self.inside_quantifier = outer;
                let (variables, triggers) = (variables.clone(), triggers.clone());
                expression.with_kind(ExpressionKind::Forall { variables, triggers, body })
            }
            ExpressionKind::FieldPermission { receiver, field, amount } => {
                let resource = Resource::Field { receiver: receiver.clone(), field: *field, span };
                let arguments: Arc<[ExpressionRef]> = Arc::from([receiver.clone()]);
                self.at_least(Location::Field(*field), resource, arguments, amount.as_ref(), condition, span)
            }
            ExpressionKind::PredicatePermission(access) => {
                let resource = Resource::Predicate {
                    predicate: access.predicate,
                    arguments: access.arguments.clone(),
                    span,
                };
                let location = Location::Predicate(access.predicate);
                let arguments = access.arguments.clone();
                self.at_least(location, resource, arguments, access.amount.as_ref(), condition, span)
            }
            // A wand is inhaled as it is.
            ExpressionKind::Wand(_) => expression.clone(),
            _ => crate::typed::map_children(expression, &mut |child| self.rewrite(child, condition)),
        }
    }

    fn at_least(
        &mut self,
        location: Location,
        resource: Resource,
        arguments: Arc<[ExpressionRef]>,
        amount: Option<&ExpressionRef>,
        condition: &Option<ExpressionRef>,
        span: Span,
    ) -> ExpressionRef {
        let amount = amount
            .cloned()
            .unwrap_or_else(|| Expression::new(ExpressionKind::FullPermission, Type::Perm, span));
        let mut sum = amount.clone();
        for frame in self.frames.iter().filter(|frame| frame.location == location) {
            let mut same = frame.condition.clone();
            for (earlier, now) in frame.arguments.iter().zip(arguments.iter()) {
                let equal = Expression::formula(BinaryOperator::Equal, earlier.clone(), now.clone(), span);
                same = Some(conjoin(same, equal, span));
            }
            let none = Expression::new(ExpressionKind::NoPermission, Type::Perm, span);
            let share = match same {
                None => frame.amount.clone(),
                Some(condition) => {
                    let then = frame.amount.clone();
                    let kind = ExpressionKind::Conditional { condition, then, otherwise: none };
                    Expression::new(kind, Type::Perm, span)
                }
            };
            let kind = ExpressionKind::Binary(BinaryOperator::PermAdd, sum, share);
            sum = Expression::new(kind, Type::Perm, span);
        }
        if !self.inside_quantifier {
            self.frames.push(Frame { location, condition: condition.clone(), arguments, amount });
        }
        let held = Expression::new(ExpressionKind::CurrentPermission(resource), Type::Perm, span);
        Expression::formula(BinaryOperator::PermGreaterEqual, held, sum, span)
    }
}

fn conjoin(left: Option<ExpressionRef>, right: ExpressionRef, span: Span) -> ExpressionRef {
    match left {
        None => right,
        Some(left) => Expression::formula(BinaryOperator::And, left, right, span),
    }
}
