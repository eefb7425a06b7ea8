//! Functions do not distinguish positive permission amounts, so their proof methods must not either: every amount
//! becomes `wildcard`, under the condition that it is positive.

use crate::typed::{
    BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, PredicateAccess, Statement,
    StatementKind, Type, map_children, rewrite_top_down,
};

/// Rewrites preconditions and body of a proof method.
pub(super) fn forget_amounts(preconditions: &mut [ExpressionRef], body: &mut Block) {
    for precondition in preconditions {
        *precondition = forget(precondition);
    }
    forget_in_block(body);
}

fn forget_in_block(block: &mut Block) {
    for statement in &mut block.statements {
        forget_in_statement(statement);
    }
}

fn forget_in_statement(statement: &mut Statement) {
    match &mut statement.kind {
        StatementKind::Inhale(expression) | StatementKind::Assert { assertion: expression, .. } => {
            *expression = forget(expression);
        }
        StatementKind::Assign { value, .. } => *value = forget(value),
        // An amount that is not positive fails anyway where it is unfolded.
        StatementKind::Unfold(access) => *access = with_wildcard(access),
        StatementKind::If { condition, then, otherwise } => {
            *condition = forget(condition);
            forget_in_block(then);
            forget_in_block(otherwise);
        }
        StatementKind::Block(block) => forget_in_block(block),
        _ => {}
    }
}

fn with_wildcard(access: &PredicateAccess) -> PredicateAccess {
    let amount = Expression::new(ExpressionKind::Wildcard, Type::Perm, access.span);
    let arguments = access.arguments.iter().map(forget).collect();
    PredicateAccess { amount: Some(amount), arguments, ..access.clone() }
}

fn forget(expression: &ExpressionRef) -> ExpressionRef {
    rewrite_top_down(expression, &mut |node| {
        let span = node.span;
        let wildcard = || Some(Expression::new(ExpressionKind::Wildcard, Type::Perm, span));
        match &node.kind {
            ExpressionKind::Unfolding { access, body } => {
                Some(node.with_kind(ExpressionKind::Unfolding {
                    access: with_wildcard(access),
                    body: forget(body),
                }))
            }
            ExpressionKind::FieldPermission { receiver, field, amount } => {
                let kind = ExpressionKind::FieldPermission {
                    receiver: forget(receiver),
                    field: *field,
                    amount: wildcard(),
                };
                Some(guarded(node.with_kind(kind), amount.as_ref()))
            }
            ExpressionKind::PredicatePermission(access) => {
                let kind = ExpressionKind::PredicatePermission(with_wildcard(access));
                Some(guarded(node.with_kind(kind), access.amount.as_ref()))
            }
            // Keep the shape of quantified permissions: the guard joins the condition.
            ExpressionKind::Forall { variables, triggers, body } => {
                let body = match &body.kind {
                    ExpressionKind::Binary(BinaryOperator::Implies, condition, assertion) => {
                        let condition = forget(condition);
                        let assertion = forget(assertion);
                        match &assertion.kind {
                            ExpressionKind::Binary(BinaryOperator::Implies, guard, inner) => {
                                let both = Expression::formula(
                                    BinaryOperator::And,
                                    condition,
                                    guard.clone(),
                                    body.span,
                                );
                                Expression::formula(BinaryOperator::Implies, both, inner.clone(), body.span)
                            }
                            _ => {
                                Expression::formula(BinaryOperator::Implies, condition, assertion, body.span)
                            }
                        }
                    }
                    _ => forget(body),
                };
                let (variables, triggers) = (variables.clone(), triggers.clone());
                Some(node.with_kind(ExpressionKind::Forall { variables, triggers, body }))
            }
            _ => None,
        }
    })
}

/// The permission under the condition that its amount was positive.
fn guarded(permission: ExpressionRef, amount: Option<&ExpressionRef>) -> ExpressionRef {
    let span = permission.span;
    match amount.map(|amount| &amount.kind) {
        None | Some(ExpressionKind::Wildcard | ExpressionKind::FullPermission) => permission,
        Some(ExpressionKind::NoPermission) => Expression::boolean(true, span),
        Some(ExpressionKind::Binary(BinaryOperator::Fraction, numerator, denominator))
            if is_positive_literal(numerator) && is_positive_literal(denominator) =>
        {
            permission
        }
        Some(_) => {
            let Some(amount) = amount else { return permission };
            let none = Expression::new(ExpressionKind::NoPermission, Type::Perm, span);
            let amount = without_wildcards(amount);
            let positive = Expression::formula(BinaryOperator::PermLess, none, amount, span);
            Expression::formula(BinaryOperator::Implies, positive, permission, span)
        }
    }
}

fn is_positive_literal(expression: &ExpressionRef) -> bool {
    matches!(&expression.kind, ExpressionKind::Int(digits) if &**digits != "0")
}

/// Any positive amount does for `wildcard` where only the sign matters.
fn without_wildcards(amount: &ExpressionRef) -> ExpressionRef {
    match amount.kind {
        ExpressionKind::Wildcard => amount.with_kind(ExpressionKind::FullPermission),
        _ => map_children(amount, &mut without_wildcards),
    }
}
