//! Quantifiers, by going through values.
//!
//! Where the condition bounds a variable (`0 <= i && i < n`, `x in s`) these are all values that matter. Otherwise the
//! values are a window: what is found there is true, what is not found there makes the run inexact. Objects that
//! nobody has met are all alike, so one of them stands for all.

use std::collections::BTreeSet;

use silver::typed::{
    BinaryOperator, Expression, ExpressionKind, ExpressionRef, LocalId, Type, free_variables,
    visit_expression,
};

use super::machine::{Machine, Run, Scope, State};
use super::value::Value;

/// Values that a variable takes, and whether no other matters.
struct Range {
    values: Vec<Value>,
    is_complete: bool,
}

const MAX_RANGE: i128 = 40;

/// What is quantified over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Quantified {
    Forall,
    Exists,
    /// Objects that nobody has met matter each for itself.
    Permissions,
}

/// An object that stands for all that nobody has met.
pub(super) const STRANGER: u32 = u32::MAX;

struct Quantification<'a> {
    kind: Quantified,
    body: &'a ExpressionRef,
    conditions: Vec<&'a ExpressionRef>,
    is_complete: bool,
}

type Each<'a> = &'a mut dyn FnMut(&mut Machine<'_>, &mut Scope, &mut State) -> Run<bool>;

impl Machine<'_> {
    /// Calls `each` with every choice of values, until it says no; the result says whether no other values matter.
    pub(super) fn for_all(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        variables: &[LocalId],
        body: &ExpressionRef,
        kind: Quantified,
        each: Each<'_>,
    ) -> Run<bool> {
        let mut conditions = Vec::new();
        conditions_of(body, kind == Quantified::Exists, &mut conditions);
        let mut quantification = Quantification { kind, body, conditions, is_complete: true };
        self.for_each_value(scope, state, variables, &mut quantification, each)?;
        Ok(quantification.is_complete)
    }

    fn for_each_value(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        variables: &[LocalId],
        quantification: &mut Quantification<'_>,
        each: Each<'_>,
    ) -> Run<bool> {
        let Some((variable, rest)) = variables.split_first() else { return each(self, scope, state) };
        let Some(ty) = type_of(*variable, quantification.body) else {
            // Any value is as good as another.
            return self.for_each_value(scope, state, rest, quantification, each);
        };
        let range = self.range(scope, state, variables, &ty, quantification)?;
        quantification.is_complete &= range.is_complete;
        for value in range.values {
            self.step()?;
            let cell = self.cell(value, &ty);
            scope.locals[variable.index()] = Some(cell);
            if !self.for_each_value(scope, state, rest, quantification, each)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// A bound of a variable from above that mentions no variable without a value.
    fn highest(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        variable: LocalId,
        unbound: &[LocalId],
        quantification: &Quantification<'_>,
    ) -> Option<i128> {
        let is_variable = |expression: &Expression| matches!(&expression.kind, ExpressionKind::Local(local) if *local == variable);
        let mut highest = None;
        for condition in &quantification.conditions {
            let ExpressionKind::Binary(operator, left, right) = &condition.kind else { continue };
            let (bound, operator) = match (is_variable(left), is_variable(right)) {
                (true, false) => (right, Some(*operator)),
                (false, true) => (left, mirrored(*operator)),
                _ => continue,
            };
            if free_variables(bound).iter().any(|free| unbound.contains(free)) {
                continue;
            }
            let Ok(Value::Int(bound)) = self.evaluate(scope, state, bound) else { continue };
            match operator {
                Some(BinaryOperator::IntLess) => highest = tighter(highest, bound - 1, i128::min),
                Some(BinaryOperator::IntLessEqual) => highest = tighter(highest, bound, i128::min),
                _ => {}
            }
        }
        highest
    }

    fn range(
        &mut self,
        scope: &mut Scope,
        state: &mut State,
        unbound: &[LocalId],
        ty: &Type,
        quantification: &Quantification<'_>,
    ) -> Run<Range> {
        let variable = unbound[0];
        let complete = |values: Vec<Value>| Range { values, is_complete: true };
        let (mut low, mut high): (Option<i128>, Option<i128>) = (None, None);
        for condition in &quantification.conditions {
            let ExpressionKind::Binary(operator, left, right) = &condition.kind else { continue };
            let is_variable = |expression: &Expression| matches!(&expression.kind, ExpressionKind::Local(local) if *local == variable);
            let is_fixed = |expression: &ExpressionRef| {
                free_variables(expression).iter().all(|free| !unbound.contains(free))
            };
            let (bound, operator) = if is_variable(left) {
                (right, *operator)
            } else if is_variable(right)
                && let Some(operator) = mirrored(*operator)
            {
                (left, operator)
            } else {
                continue;
            };
            let bound = if is_fixed(bound) {
                // A bound that cannot be evaluated is an error where the body is, in its own order.
                let Ok(bound) = self.evaluate(scope, state, bound) else { continue };
                bound
            } else if let ExpressionKind::Local(other) = &bound.kind
                && matches!(operator, BinaryOperator::IntLess | BinaryOperator::IntLessEqual)
                && unbound.contains(other)
            {
                // `a < c && c < n`: what bounds a later variable bounds this one.
                let Some(highest) = self.highest(scope, state, *other, unbound, quantification) else {
                    continue;
                };
                Value::Int(highest)
            } else {
                continue;
            };
            match (operator, bound) {
                (BinaryOperator::Equal, value) => return Ok(complete(vec![value])),
                (
                    BinaryOperator::SetContains | BinaryOperator::SeqContains | BinaryOperator::MapContains,
                    elements,
                ) => {
                    let elements: BTreeSet<Value> = match elements {
                        Value::Set(elements) => elements,
                        Value::Seq(elements) => elements.into_iter().collect(),
                        Value::Map(entries) => entries.into_keys().collect(),
                        _ => continue,
                    };
                    return Ok(complete(elements.into_iter().collect()));
                }
                (BinaryOperator::IntLess, Value::Int(bound)) => high = tighter(high, bound - 1, i128::min),
                (BinaryOperator::IntLessEqual, Value::Int(bound)) => high = tighter(high, bound, i128::min),
                (BinaryOperator::IntGreater, Value::Int(bound)) => low = tighter(low, bound + 1, i128::max),
                (BinaryOperator::IntGreaterEqual, Value::Int(bound)) => low = tighter(low, bound, i128::max),
                _ => {}
            }
        }
        Ok(match ty {
            Type::Bool => complete(vec![Value::Bool(false), Value::Bool(true)]),
            Type::Int => match (low, high) {
                (Some(low), Some(high)) if high - low <= MAX_RANGE => {
                    complete((low..=high).map(Value::Int).collect())
                }
                _ => {
                    let start = low.unwrap_or_else(|| high.map_or(-2, |high| high - 6));
                    let end = high.unwrap_or(start + 7).min(start + 9);
                    Range { values: (start..=end).map(Value::Int).collect(), is_complete: false }
                }
            },
            Type::Ref => {
                let all = self.all_objects().into_iter().chain([STRANGER]);
                // What a function gives for a stranger is not what it gives for an object that somebody meets later.
                let is_complete = quantification.kind != Quantified::Permissions
                    && !is_given_to_function(variable, quantification.body);
                Range { values: all.map(Value::Ref).collect(), is_complete }
            }
            _ => {
                let mut values = BTreeSet::new();
                for _ in 0..8 {
                    values.insert(self.choose(ty, u32::MAX)?);
                }
                Range { values: values.into_iter().collect(), is_complete: false }
            }
        })
    }
}

fn tighter(old: Option<i128>, new: i128, pick: fn(i128, i128) -> i128) -> Option<i128> {
    Some(old.map_or(new, |old| pick(old, new)))
}

/// What must be true of the variables for the body to matter: premises, or conjuncts below `exists`.
fn conditions_of<'a>(body: &'a ExpressionRef, is_exists: bool, conditions: &mut Vec<&'a ExpressionRef>) {
    fn conjuncts<'a>(node: &'a ExpressionRef, conditions: &mut Vec<&'a ExpressionRef>) {
        if let ExpressionKind::Binary(BinaryOperator::And, left, right) = &node.kind {
            conjuncts(left, conditions);
            conjuncts(right, conditions);
        } else {
            conditions.push(node);
        }
    }
    match &body.kind {
        _ if is_exists => conjuncts(body, conditions),
        ExpressionKind::Binary(BinaryOperator::Implies, premise, conclusion) => {
            conjuncts(premise, conditions);
            conditions_of(conclusion, false, conditions);
        }
        _ => {}
    }
}

fn type_of(variable: LocalId, body: &ExpressionRef) -> Option<Type> {
    let mut found = None;
    visit_expression(body, &mut |node| {
        if matches!(&node.kind, ExpressionKind::Local(local) if *local == variable) {
            found = Some(node.ty.clone());
        }
        found.is_none()
    });
    found
}

/// The comparison with its sides exchanged.
fn mirrored(operator: BinaryOperator) -> Option<BinaryOperator> {
    Some(match operator {
        BinaryOperator::IntLess => BinaryOperator::IntGreater,
        BinaryOperator::IntLessEqual => BinaryOperator::IntGreaterEqual,
        BinaryOperator::IntGreater => BinaryOperator::IntLess,
        BinaryOperator::IntGreaterEqual => BinaryOperator::IntLessEqual,
        BinaryOperator::Equal => BinaryOperator::Equal,
        _ => return None,
    })
}

/// Whether a function of a domain is applied to something with the variable.
fn is_given_to_function(variable: LocalId, body: &ExpressionRef) -> bool {
    let mut found = false;
    visit_expression(body, &mut |part| {
        if let ExpressionKind::DomainApplication { arguments, .. } = &part.kind {
            found |= arguments.iter().any(|argument| free_variables(argument).contains(&variable));
        }
        true
    });
    found
}
