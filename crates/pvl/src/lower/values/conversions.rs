//! Values of one type where another is asked for.
//!
//! Widening costs nothing or a multiplication by `write`. Narrowing of fractions is a call of a prelude function whose
//! precondition is the check. What is inside of collections is converted by functions, too.

use silver::syntax::tree as s;

use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::lower::values::types::is_rational;
use crate::resolve::Type;
use crate::syntax::tree::{BinaryOperator, Expression, ExpressionKind};

impl<'t> Scope<'_, 't> {
    pub(crate) fn convert(
        &mut self,
        value: s::Expression,
        own: &Type,
        target: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        match (own, target) {
            _ if own == target => value,
            (Type::ResourceValue, Type::Resource) => self.use_resource(value, place),
            (Type::Int | Type::Char, _) if is_rational(target) => {
                let rational = self.int_to_rational(value, expression);
                self.narrow(rational, &Type::Rational, target, expression)
            }
            _ if is_rational(own) && is_rational(target) => self.narrow(value, own, target, expression),
            (_, Type::Any) => {
                if matches!(own, Type::Unknown) {
                    return value;
                }
                self.lowering.as_any(value, own, place)
            }
            (_, Type::Unknown) | (Type::Unknown, _) | (_, Type::Resource) => value,
            _ => match self.lowering.need_conversion(own, target, place) {
                Some(None) => value,
                Some(Some(function)) => self.at(place).call(&function, vec![value]),
                None => self.unsupported(place, "this conversion between types of values"),
            },
        }
    }

    fn int_to_rational(&mut self, value: s::Expression, expression: &Expression) -> s::Expression {
        let mut build = self.at(expression.span);
        match &*value.kind {
            s::ExpressionKind::Int(digits) if &**digits == "0" => build.no_permission(),
            s::ExpressionKind::Int(digits) if &**digits == "1" => build.write(),
            _ => {
                let write = build.write();
                build.binary(s::BinaryOperator::Multiply, value, write)
            }
        }
    }

    /// Checks that a rational lies in the smaller type.
    fn narrow(
        &mut self,
        value: s::Expression,
        own: &Type,
        target: &Type,
        expression: &'t Expression,
    ) -> s::Expression {
        let function = match (own, target) {
            (Type::Fraction, _) => return value,
            (_, Type::Rational | Type::Float32 | Type::Float64) => return value,
            (Type::ZeroFraction, Type::ZeroFraction) => return value,
            (Type::ZeroFraction, _) => "zero_fraction_as_fraction",
            (_, Type::ZeroFraction) => "as_zero_fraction",
            (_, _) => "as_fraction",
        };
        if let Some((numerator, denominator)) = constant_fraction(expression) {
            let is_small = numerator <= denominator;
            let is_positive = numerator > 0;
            if is_small && (is_positive || *target == Type::ZeroFraction) {
                return value;
            }
        }
        self.lowering.need(Theory::Fraction);
        self.at(expression.span).call(function, vec![value])
    }
}

/// The value of a constant such as `1`, `write` or `1\2`.
pub(crate) fn constant_fraction(expression: &Expression) -> Option<(u64, u64)> {
    match &*expression.kind {
        ExpressionKind::Int(digits) => digits.parse().ok().map(|value| (value, 1)),
        ExpressionKind::WritePermission => Some((1, 1)),
        ExpressionKind::NoPermission => Some((0, 1)),
        ExpressionKind::Binary(BinaryOperator::FractionDivide, left, right) => {
            match (&*left.kind, &*right.kind) {
                (ExpressionKind::Int(left), ExpressionKind::Int(right)) => {
                    let right: u64 = right.parse().ok()?;
                    if right == 0 { None } else { Some((left.parse().ok()?, right)) }
                }
                _ => None,
            }
        }
        _ => None,
    }
}
