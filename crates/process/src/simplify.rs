//! Expressions are put together here, and what is known of them on sight is folded: truth values, comparisons and sums
//! of integers whose difference is a number. Nothing is folded that depends on whether an operation is defined: an
//! undefined one has some value, the same wherever the same expression is written.

use num_bigint::BigInt;
use num_traits::{One, Signed, Zero};
use source::Span;

use crate::expression::{Binary, Binder, Expression, ExpressionKind, Quantifier, Unary};
use crate::model::VariableId;
use crate::types::Type;
use crate::value::Value;

/// The expression of this kind, folded where that is possible on sight.
pub(crate) fn build(kind: ExpressionKind, ty: Type, span: Span) -> Expression {
    match kind {
        ExpressionKind::Unary(Unary::Not, operand) => not(&operand),
        ExpressionKind::Unary(Unary::Negate, ref operand) if ty == Type::Integer => {
            let mut sum = Linear::of(operand);
            sum.scale(&-BigInt::one());
            sum.build(span)
        }
        ExpressionKind::Binary(operator, left, right) => binary(operator, left, right, ty, span),
        ExpressionKind::Conditional(condition, yes, no) => match truth_of(&condition) {
            Some(true) => yes,
            Some(false) => no,
            None if yes == no => yes,
            None => Expression::new(ExpressionKind::Conditional(condition, yes, no), ty, span),
        },
        ExpressionKind::Quantified(quantifier, binders, condition, body) => {
            quantified(quantifier, binders, condition, body, ty, span)
        }
        kind => Expression::new(kind, ty, span),
    }
}

fn quantified(
    quantifier: Quantifier,
    binders: Vec<Binder>,
    condition: Expression,
    body: Expression,
    ty: Type,
    span: Span,
) -> Expression {
    let nothing = truth_of(&condition) == Some(false);
    match quantifier {
        Quantifier::All if nothing || truth_of(&body) == Some(true) => truth(true, span),
        Quantifier::Some if nothing || truth_of(&body) == Some(false) => truth(false, span),
        _ => Expression::new(ExpressionKind::Quantified(quantifier, binders, condition, body), ty, span),
    }
}

fn binary(operator: Binary, left: Expression, right: Expression, ty: Type, span: Span) -> Expression {
    match operator {
        Binary::And => and(&left, &right),
        Binary::Or => or(&left, &right),
        Binary::Implies => or(&not(&left), &right),
        Binary::Equal => equal(&left, &right),
        Binary::Unequal => not(&equal(&left, &right)),
        Binary::Less => less(&left, &right),
        Binary::AtMost => at_most(&left, &right),
        Binary::Add | Binary::Subtract if ty == Type::Integer => {
            let mut sum = Linear::of(&left);
            let mut other = Linear::of(&right);
            if operator == Binary::Subtract {
                other.scale(&-BigInt::one());
            }
            sum.add(other);
            sum.build(span)
        }
        Binary::Multiply if ty == Type::Integer => {
            let (mut sum, mut other) = (Linear::of(&left), Linear::of(&right));
            if let Some(factor) = sum.constant() {
                other.scale(&factor);
                return other.build(span);
            }
            if let Some(factor) = other.constant() {
                sum.scale(&factor);
                return sum.build(span);
            }
            Expression::new(ExpressionKind::Binary(operator, left, right), ty, span)
        }
        _ => Expression::new(ExpressionKind::Binary(operator, left, right), ty, span),
    }
}

/// A truth value.
pub(crate) fn truth(value: bool, span: Span) -> Expression {
    Expression::new(ExpressionKind::Literal(Value::Boolean(value)), Type::Boolean, span)
}

/// An integer.
pub(crate) fn integer(value: BigInt, span: Span) -> Expression {
    Expression::new(ExpressionKind::Literal(Value::Integer(value)), Type::Integer, span)
}

/// A variable.
pub(crate) fn variable(variable: VariableId, ty: Type, span: Span) -> Expression {
    Expression::new(ExpressionKind::Variable(variable), ty, span)
}

/// The truth value that a condition is known to have.
pub(crate) fn truth_of(condition: &Expression) -> Option<bool> {
    match condition.kind() {
        ExpressionKind::Literal(Value::Boolean(value)) => Some(*value),
        _ => None,
    }
}

fn boolean(operator: Binary, left: &Expression, right: &Expression) -> Expression {
    Expression::new(
        ExpressionKind::Binary(operator, left.clone(), right.clone()),
        Type::Boolean,
        left.span().to(right.span()),
    )
}

/// The negation. Comparisons of numbers are turned around, so that a condition and its negation are seen to be that.
pub(crate) fn not(condition: &Expression) -> Expression {
    match condition.kind() {
        ExpressionKind::Literal(Value::Boolean(value)) => truth(!value, condition.span()),
        ExpressionKind::Unary(Unary::Not, operand) => operand.clone(),
        ExpressionKind::Binary(Binary::Less, left, right) => boolean(Binary::AtMost, right, left),
        ExpressionKind::Binary(Binary::AtMost, left, right) => boolean(Binary::Less, right, left),
        ExpressionKind::Binary(Binary::And, left, right) => or(&not(left), &not(right)),
        ExpressionKind::Binary(Binary::Or, left, right) => and(&not(left), &not(right)),
        _ => Expression::new(
            ExpressionKind::Unary(Unary::Not, condition.clone()),
            Type::Boolean,
            condition.span(),
        ),
    }
}

/// The parts of a conjunction, in order.
pub(crate) fn conjuncts(condition: &Expression) -> Vec<Expression> {
    parts_of(condition, Binary::And)
}

fn parts_of(condition: &Expression, wanted: Binary) -> Vec<Expression> {
    let mut found = Vec::new();
    let mut waiting = vec![condition.clone()];
    while let Some(next) = waiting.pop() {
        match next.kind() {
            ExpressionKind::Binary(operator, left, right) if *operator == wanted => {
                waiting.push(right.clone());
                waiting.push(left.clone());
            }
            _ => found.push(next),
        }
    }
    found
}

/// Both: what is said already is not said again, and a condition beside its negation is false.
pub(crate) fn and(left: &Expression, right: &Expression) -> Expression {
    joined(left, right, Binary::And)
}

/// One of both, with the same care.
pub(crate) fn or(left: &Expression, right: &Expression) -> Expression {
    joined(left, right, Binary::Or)
}

fn joined(left: &Expression, right: &Expression, operator: Binary) -> Expression {
    let unit = operator == Binary::And;
    for (one, other) in [(left, right), (right, left)] {
        match truth_of(one) {
            Some(value) if value == unit => return other.clone(),
            Some(_) => return one.clone(),
            None => {}
        }
    }
    let mut result = left.clone();
    let mut known = parts_of(left, operator);
    for part in parts_of(right, operator) {
        if known.contains(&part) {
            continue;
        }
        if known.contains(&not_of_leaf(&part)) {
            return truth(!unit, part.span());
        }
        result = boolean(operator, &result, &part);
        known.push(part);
    }
    result
}

/// The negation of what is no conjunction or disjunction; of those, itself, which nothing is the negation of.
fn not_of_leaf(condition: &Expression) -> Expression {
    match condition.kind() {
        ExpressionKind::Binary(Binary::And | Binary::Or, ..) => condition.clone(),
        _ => not(condition),
    }
}

/// The conjunction of all.
pub(crate) fn all<'e>(conditions: impl IntoIterator<Item = &'e Expression>, span: Span) -> Expression {
    conditions.into_iter().fold(truth(true, span), |all, next| and(&all, next))
}

/// Whether two values are the same.
pub(crate) fn equal(left: &Expression, right: &Expression) -> Expression {
    let span = left.span().to(right.span());
    if left == right {
        return truth(true, span);
    }
    if let (ExpressionKind::Literal(one), ExpressionKind::Literal(other)) = (left.kind(), right.kind())
        && left.ty() == right.ty()
    {
        return truth(one == other, span);
    }
    if *left.ty() == Type::Integer
        && let Some(difference) = difference(left, right)
    {
        return truth(difference.is_zero(), span);
    }
    if *left.ty() == Type::Boolean {
        for (one, other) in [(left, right), (right, left)] {
            match truth_of(one) {
                Some(true) => return other.clone(),
                Some(false) => return not(other),
                None => {}
            }
        }
    }
    boolean(Binary::Equal, left, right)
}

/// `left < right` on numbers.
pub(crate) fn less(left: &Expression, right: &Expression) -> Expression {
    let span = left.span().to(right.span());
    if let (ExpressionKind::Literal(Value::Rational(one)), ExpressionKind::Literal(Value::Rational(other))) =
        (left.kind(), right.kind())
    {
        return truth(one < other, span);
    }
    if *left.ty() == Type::Integer
        && let Some(difference) = difference(left, right)
    {
        return truth(difference.is_negative(), span);
    }
    boolean(Binary::Less, left, right)
}

/// `left <= right` on numbers.
pub(crate) fn at_most(left: &Expression, right: &Expression) -> Expression {
    not(&less(right, left))
}

/// `left - right`, where that is a number whatever the variables are.
pub(crate) fn difference(left: &Expression, right: &Expression) -> Option<BigInt> {
    let mut sum = Linear::of(left);
    let mut other = Linear::of(right);
    other.scale(&-BigInt::one());
    sum.add(other);
    sum.constant()
}

/// `left + number`.
pub(crate) fn plus(left: &Expression, number: &BigInt) -> Expression {
    let mut sum = Linear::of(left);
    sum.number += number;
    sum.build(left.span())
}

/// `left - right` on integers.
pub(crate) fn minus(left: &Expression, right: &Expression) -> Expression {
    binary(Binary::Subtract, left.clone(), right.clone(), Type::Integer, left.span().to(right.span()))
}

/// Where an integer is one variable and a number: these two.
pub(crate) fn variable_and_number(expression: &Expression) -> Option<(VariableId, BigInt)> {
    let sum = Linear::of(expression);
    let [(part, factor)] = &sum.parts[..] else { return None };
    match part.kind() {
        ExpressionKind::Variable(variable) if factor.is_one() => Some((*variable, sum.number)),
        _ => None,
    }
}

/// An integer as a sum of expressions with factors, in the order in which they were first seen, and a number.
struct Linear {
    parts: Vec<(Expression, BigInt)>,
    number: BigInt,
}

impl Linear {
    fn of(expression: &Expression) -> Linear {
        let mut sum = Linear { parts: Vec::new(), number: BigInt::zero() };
        let mut waiting = vec![(expression.clone(), BigInt::one())];
        while let Some((next, factor)) = waiting.pop() {
            match next.kind() {
                ExpressionKind::Literal(Value::Integer(value)) => sum.number += value * factor,
                ExpressionKind::Binary(Binary::Add, left, right) => {
                    waiting.push((right.clone(), factor.clone()));
                    waiting.push((left.clone(), factor));
                }
                ExpressionKind::Binary(Binary::Subtract, left, right) => {
                    waiting.push((right.clone(), -factor.clone()));
                    waiting.push((left.clone(), factor));
                }
                ExpressionKind::Unary(Unary::Negate, operand) => waiting.push((operand.clone(), -factor)),
                ExpressionKind::Binary(Binary::Multiply, left, right) => match (left.kind(), right.kind()) {
                    (ExpressionKind::Literal(Value::Integer(value)), _) => {
                        waiting.push((right.clone(), factor * value));
                    }
                    (_, ExpressionKind::Literal(Value::Integer(value))) => {
                        waiting.push((left.clone(), factor * value));
                    }
                    _ => sum.add_part(next, factor),
                },
                _ => sum.add_part(next, factor),
            }
        }
        sum.parts.retain(|(_, factor)| !factor.is_zero());
        sum
    }

    fn add_part(&mut self, part: Expression, factor: BigInt) {
        match self.parts.iter_mut().find(|(known, _)| *known == part) {
            Some((_, known)) => *known += factor,
            None => self.parts.push((part, factor)),
        }
    }

    fn add(&mut self, other: Linear) {
        for (part, factor) in other.parts {
            self.add_part(part, factor);
        }
        self.number += other.number;
        self.parts.retain(|(_, factor)| !factor.is_zero());
    }

    fn scale(&mut self, by: &BigInt) {
        self.number *= by;
        for (_, factor) in &mut self.parts {
            *factor *= by;
        }
        self.parts.retain(|(_, factor)| !factor.is_zero());
    }

    fn constant(&self) -> Option<BigInt> {
        self.parts.is_empty().then(|| self.number.clone())
    }

    fn build(self, span: Span) -> Expression {
        let number = self.number;
        let mut result: Option<Expression> = None;
        let put = |operator, left: Expression, right: Expression| {
            Expression::new(ExpressionKind::Binary(operator, left, right), Type::Integer, span)
        };
        for (part, factor) in self.parts {
            let size = factor.abs();
            let part = if size.is_one() { part } else { put(Binary::Multiply, integer(size, span), part) };
            result = Some(match result {
                None if factor.is_negative() => {
                    Expression::new(ExpressionKind::Unary(Unary::Negate, part), Type::Integer, span)
                }
                None => part,
                Some(sum) if factor.is_negative() => put(Binary::Subtract, sum, part),
                Some(sum) => put(Binary::Add, sum, part),
            });
        }
        match result {
            None => integer(number, span),
            Some(sum) if number.is_zero() => sum,
            Some(sum) if number.is_negative() => put(Binary::Subtract, sum, integer(-number, span)),
            Some(sum) => put(Binary::Add, sum, integer(number, span)),
        }
    }
}
