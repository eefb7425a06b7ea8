//! The two kinds of checks: that a condition holds, and that a tuple decreases.

use rustc_hash::FxHashMap;
use source::Span;
use verdict::failure::{ErrorKind, ReasonKind};

use super::Generator;
use super::clauses::{Clauses, Tuple};
use crate::typed::{
    BinaryOperator, Blame, DomainFunctionId, Expression, ExpressionKind, ExpressionRef, Local, LocalId,
    Statement, StatementKind, Type, transplant,
};

/// Who is to blame when a check fails.
#[derive(Clone, Copy)]
pub(super) struct Offender {
    pub(super) span: Span,
}

impl Offender {
    fn blame(self, reason: ReasonKind) -> Blame {
        Blame { error: ErrorKind::Termination, reason, span: self.span }
    }
}

pub(super) const TUPLE_CONDITION: ReasonKind = ReasonKind::TupleConditionFalse;
pub(super) const TERMINATION_CONDITION: ReasonKind = ReasonKind::TerminationConditionFalse;
const TUPLE: ReasonKind = ReasonKind::TupleFalse;

pub(super) fn old(expression: &ExpressionRef) -> ExpressionRef {
    Expression::new(ExpressionKind::Old(expression.clone()), expression.ty.clone(), expression.span)
}

fn check(assertion: ExpressionRef, blame: Blame) -> Statement {
    Statement::new(StatementKind::Assert { assertion, blame: Some(blame) }, blame.span)
}

/// Checks that `required` implies `given`; nothing where that is trivial.
pub(super) fn condition_check(
    required: Option<ExpressionRef>,
    given: ExpressionRef,
    offender: Offender,
    reason: ReasonKind,
) -> Option<Statement> {
    if given.is_true() {
        return None;
    }
    let span = offender.span;
    let assertion = match required {
        Some(required) if !required.is_true() => {
            Expression::formula(BinaryOperator::Or, Expression::not(required, span), given, span)
        }
        _ => given,
    };
    Some(check(assertion, offender.blame(reason)))
}

/// A function or method where it is called.
pub(super) struct Called {
    pub(super) clauses: Clauses,
    pub(super) locals: Vec<Local>,
    /// The arguments, by the formals.
    pub(super) replacements: FxHashMap<LocalId, ExpressionRef>,
    /// Whether the call may lead back to the caller.
    pub(super) is_recursive: bool,
}

impl Generator<'_> {
    /// The checks at a call inside of a member with a measure: what is called terminates, and its measure is smaller
    /// where the call is recursive.
    pub(super) fn checks_at_call(&mut self, caller: &Tuple, called: Called, span: Span) -> Vec<Statement> {
        let Called { clauses, locals, replacements, is_recursive } = called;
        let offender = Offender { span };
        let required = caller.condition.as_ref().map(old);
        if !is_recursive {
            let given = clauses.termination_condition(span);
            let given = transplant(&given, &locals, &mut self.locals, &replacements);
            return condition_check(required, given, offender, TERMINATION_CONDITION).into_iter().collect();
        }
        let Some(tuple) = &clauses.tuple else {
            let never = Expression::boolean(false, span);
            return condition_check(required, never, offender, TUPLE_CONDITION).into_iter().collect();
        };
        let mut checks = Vec::new();
        let truth = Expression::boolean(true, span);
        let given = tuple.condition.clone().unwrap_or(truth);
        let given = transplant(&given, &locals, &mut self.locals, &replacements);
        checks.extend(condition_check(required.clone(), given, offender, TUPLE_CONDITION));
        let bigger: Vec<ExpressionRef> = caller.expressions.iter().map(old).collect();
        let smaller = tuple.expressions.iter();
        let smaller: Vec<ExpressionRef> = smaller
            .map(|expression| transplant(expression, &locals, &mut self.locals, &replacements))
            .collect();
        checks.extend(self.tuple_check(required, &bigger, &smaller, offender, caller));
        checks
    }

    /// Checks that under a condition the tuple `smaller` is below `bigger`.
    pub(super) fn tuple_check(
        &mut self,
        condition: Option<ExpressionRef>,
        bigger: &[ExpressionRef],
        smaller: &[ExpressionRef],
        offender: Offender,
        measure: &Tuple,
    ) -> Option<Statement> {
        // Tuples without a common part need no order.
        let compared = bigger.first().zip(smaller.first()).is_some_and(|(a, b)| a.ty == b.ty);
        if compared && self.decreasing.is_none() {
            self.error(measure.span, "the function `decreasing` is needed but not declared");
        }
        if compared && self.bounded.is_none() {
            self.error(measure.span, "the function `bounded` is needed but not declared");
        }
        let decreases = match (self.decreasing, self.bounded) {
            (Some(decreasing), Some(bounded)) => {
                lexicographic(bigger, smaller, decreasing, bounded, offender.span)
            }
            _ if compared => return None,
            _ => Expression::boolean(bigger.is_empty() && !smaller.is_empty(), offender.span),
        };
        let assertion = match condition {
            Some(condition) => {
                Expression::formula(BinaryOperator::Implies, condition, decreases, offender.span)
            }
            None => decreases,
        };
        Some(check(assertion, offender.blame(TUPLE)))
    }
}

/// Both tuples are continued by a top element, which is above all others and not below anything.
fn lexicographic(
    bigger: &[ExpressionRef],
    smaller: &[ExpressionRef],
    decreasing: DomainFunctionId,
    bounded: DomainFunctionId,
    span: Span,
) -> ExpressionRef {
    let mut pairs = bigger.iter().zip(smaller).take_while(|(a, b)| a.ty == b.ty).collect::<Vec<_>>();
    let rest = (bigger.get(pairs.len()), smaller.get(pairs.len()));
    let mut result = Expression::boolean(matches!(rest, (None, Some(_))), span);
    while let Some((big, small)) = pairs.pop() {
        let order = |function, arguments: Vec<ExpressionRef>| {
            let kind = ExpressionKind::DomainApplication {
                function,
                type_arguments: [big.ty.clone()].into(),
                arguments: arguments.into(),
            };
            Expression::new(kind, Type::Bool, span)
        };
        let decreases = order(decreasing, vec![small.clone(), big.clone()]);
        let is_bounded = order(bounded, vec![big.clone()]);
        let here = Expression::formula(BinaryOperator::And, decreases, is_bounded, span);
        let equal = Expression::formula(BinaryOperator::Equal, small.clone(), big.clone(), span);
        let later = Expression::formula(BinaryOperator::And, equal, result, span);
        result = Expression::formula(BinaryOperator::Or, here, later, span);
    }
    result
}
