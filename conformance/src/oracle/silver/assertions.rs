//! What assertions speak about: amounts, and the resources of quantified permissions.
//!
//! How they are taken, given, assumed or only looked at is told by the modules `exhale`, `inhale`, `assume` and `footprint`.
//! In functions amounts do not matter, only whether there are some.

use num_traits::Zero;
use silver::typed::{BinaryOperator, ExpressionKind, ExpressionRef};
use source::Span;

use super::machine::{Machine, Run, Scope, State, Stop, fail};
use super::value::{Amount, Value, none};

/// How much is asked for or given.
#[derive(Clone, Debug)]
pub(super) enum Wanted {
    Exactly(Amount),
    Some,
}

impl Machine<'_> {
    pub(super) fn wanted(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        amount: Option<&ExpressionRef>,
        scale: &Amount,
        span: Span,
    ) -> Run<Wanted> {
        let Some(expression) = amount else { return Ok(Wanted::Exactly(scale.clone())) };
        match &expression.kind {
            ExpressionKind::Wildcard => Ok(Wanted::Some),
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let branch = if self.truth(scope, state, condition)? { then } else { otherwise };
                self.wanted(scope, state, Some(branch), scale, span)
            }
            _ => match self.evaluate(scope, state, expression)? {
                Value::Perm(value) if value < none() => fail("negative.permission", span),
                Value::Perm(value) => Ok(Wanted::Exactly(value * scale)),
                _ => Err(Stop::GivenUp("an amount that is none")),
            },
        }
    }

    /// The resource of a quantified permission for the values that its variables have now.
    pub(super) fn quantified<'a>(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        body: &'a ExpressionRef,
    ) -> Run<Option<&'a ExpressionRef>> {
        match &body.kind {
            ExpressionKind::Binary(BinaryOperator::Implies, condition, resource) => {
                if self.truth(scope, state, condition)? {
                    self.quantified(scope, state, resource)
                } else {
                    Ok(None)
                }
            }
            ExpressionKind::Wand(_) => Err(Stop::GivenUp("quantified wands")),
            _ => Ok(Some(body)),
        }
    }

    pub(super) fn location_of(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &ExpressionRef,
    ) -> Run<Vec<Value>> {
        match &resource.kind {
            ExpressionKind::FieldPermission { receiver, .. } => {
                Ok(vec![self.evaluate(scope, state, receiver)?])
            }
            ExpressionKind::PredicatePermission(access) => self.all(scope, state, &access.arguments),
            _ => Err(Stop::GivenUp("a quantified assertion of an unknown kind")),
        }
    }

    pub(super) fn is_something(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        resource: &ExpressionRef,
        scale: &Amount,
    ) -> Run<bool> {
        let amount = match &resource.kind {
            ExpressionKind::FieldPermission { amount, .. } => amount.as_ref(),
            ExpressionKind::PredicatePermission(access) => access.amount.as_ref(),
            _ => None,
        };
        Ok(match self.wanted(scope, state, amount, scale, resource.span)? {
            Wanted::Some => true,
            Wanted::Exactly(amount) => !amount.is_zero(),
        })
    }
}
