//! `ArrayPerm(a, first, step, count, amount)`: permission for elements of an array at equal distances.
//!
//! The elements are those at `first`, `first + step` and so on, `count` of them. Said of the index itself, so that
//! elements lead to their permission: it lies in the range, and behind the first one by a multiple of the step.

use silver::syntax::tree as s;

use crate::lower::heap::permissions::Location;
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::syntax::tree::{Expression, ExpressionKind};

impl<'t> Scope<'_, 't> {
    pub(crate) fn stride(
        &mut self,
        arguments: &'t [Expression],
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let [array, first, step, count, amount] = arguments else {
            return self.unsupported(place, "this permission");
        };
        let Location::All { index, location, trigger, .. } = self.all_elements(array, expression) else {
            return self.unsupported(place, "this permission");
        };
        let is_every = matches!(&*step.kind, ExpressionKind::Int(digits) if digits.parse() == Ok(1_u64));
        let is_positive =
            matches!(&*step.kind, ExpressionKind::Int(digits) if digits.bytes().any(|digit| digit != b'0'));
        let (first, count) = (self.expression(first), self.expression(count));
        let mut distance = self.expression(step);
        if !is_positive {
            self.lowering.need(Theory::PositiveStep);
            distance = self.at(step.span).call("positive_step", vec![distance]);
        }
        let amount = self.amount(amount);
        let mut build = self.at(place);
        let variable = build.variable(&index);
        let length = match is_every {
            true => count,
            false => build.binary(s::BinaryOperator::Multiply, count, distance.clone()),
        };
        let end = build.binary(s::BinaryOperator::Add, first.clone(), length);
        let mut range = build.within(first.clone(), variable.clone(), end);
        if !is_every {
            let behind = build.subtract(variable, first);
            let rest = build.binary(s::BinaryOperator::Modulo, behind, distance);
            let zero = build.int(0);
            let is_multiple = build.equal(rest, zero);
            range = build.and(range, is_multiple);
        }
        self.held(Location::All { index, range, location, trigger }, amount, place)
    }
}
