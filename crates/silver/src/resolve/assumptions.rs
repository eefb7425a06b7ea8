//! `assume` as `inhale` of pure formulas.
//!
//! Assuming an accessibility predicate means to assume that the permission is held already: `acc(x.f, p)` becomes
//! `perm(x.f) >= p`. For separating conjunction the amounts of earlier conjuncts that may speak about the same
//! location are added up under the condition that they do. What a quantifier contributes to a location is found by
//! instantiating it, or else by `exists`; where its amount depends on the quantified variables in another way it is left
//! out, which assumes less.

use std::sync::Arc;

use rustc_hash::FxHashMap;
use source::Span;

use crate::typed::{
    BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, FieldId, LocalId, PredicateId,
    Resource, Statement, StatementKind, Type, free_variables, is_pure, substitute,
};

/// The statement for `assume assumption`: one `inhale` for each conjunct.
pub(super) fn assume(assumption: &ExpressionRef) -> StatementKind {
    let rewritten = if is_pure(assumption) {
        assumption.clone()
    } else {
        Rewriting { frames: Vec::new(), variables: Arc::from([]) }.rewrite(assumption, &None)
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
    /// Quantified variables; none for a single location.
    variables: Arc<[LocalId]>,
    condition: Option<ExpressionRef>,
    arguments: Arc<[ExpressionRef]>,
    amount: ExpressionRef,
}

struct Rewriting {
    frames: Vec<Frame>,
    /// The variables of the quantifier around.
    variables: Arc<[LocalId]>,
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
                let outer = std::mem::replace(&mut self.variables, variables.clone());
                let body = self.rewrite(body, condition);
                self.variables = outer;
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
            let Some(share) = frame.share(&arguments, span) else { continue };
            let kind = ExpressionKind::Binary(BinaryOperator::PermAdd, sum, share);
            sum = Expression::new(kind, Type::Perm, span);
        }
        let variables = self.variables.clone();
        self.frames.push(Frame { location, variables, condition: condition.clone(), arguments, amount });
        let held = Expression::new(ExpressionKind::CurrentPermission(resource), Type::Perm, span);
        Expression::formula(BinaryOperator::PermGreaterEqual, held, sum, span)
    }
}

impl Frame {
    /// How much of the location with the given arguments the earlier conjunct speaks about.
    fn share(&self, arguments: &[ExpressionRef], span: Span) -> Option<ExpressionRef> {
        let instantiation = self.instantiation(arguments);
        if let Some(replacements) = instantiation {
            let condition = self.condition.as_ref().map(|condition| substitute(condition, &replacements));
            return Some(conditional(condition, substitute(&self.amount, &replacements), span));
        }
        let mut same = self.condition.clone();
        for (earlier, now) in self.arguments.iter().zip(arguments) {
            let equal = Expression::formula(BinaryOperator::Equal, earlier.clone(), now.clone(), span);
            same = Some(conjoin(same, equal, span));
        }
        if self.variables.is_empty() {
            return Some(conditional(same, self.amount.clone(), span));
        }
        if free_variables(&self.amount).iter().any(|variable| self.variables.contains(variable)) {
            return None;
        }
        let body = same.unwrap_or_else(|| Expression::boolean(true, span));
        let kind =
            ExpressionKind::Exists { variables: self.variables.clone(), triggers: Arc::from([]), body };
        let exists = Expression::new(kind, Type::Bool, span);
        Some(conditional(Some(exists), self.amount.clone(), span))
    }

    /// Values for the quantified variables, if the location's arguments are just these variables.
    fn instantiation(&self, arguments: &[ExpressionRef]) -> Option<FxHashMap<LocalId, ExpressionRef>> {
        if self.variables.is_empty() {
            return None;
        }
        let mut replacements = FxHashMap::default();
        for (earlier, now) in self.arguments.iter().zip(arguments) {
            match &earlier.kind {
                ExpressionKind::Local(local) if self.variables.contains(local) => {
                    if replacements.insert(*local, now.clone()).is_some() {
                        return None;
                    }
                }
                _ => return None,
            }
        }
        (replacements.len() == self.variables.len()).then_some(replacements)
    }
}

fn conditional(condition: Option<ExpressionRef>, amount: ExpressionRef, span: Span) -> ExpressionRef {
    let Some(condition) = condition else { return amount };
    let otherwise = Expression::new(ExpressionKind::NoPermission, Type::Perm, span);
    let kind = ExpressionKind::Conditional { condition, then: amount, otherwise };
    Expression::new(kind, Type::Perm, span)
}

fn conjoin(left: Option<ExpressionRef>, right: ExpressionRef, span: Span) -> ExpressionRef {
    match left {
        None => right,
        Some(left) => Expression::formula(BinaryOperator::And, left, right, span),
    }
}
