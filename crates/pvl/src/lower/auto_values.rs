//! `AutoValue(l)`: some permission that a call neither takes nor has to give back.
//!
//! A method gets an unknown fraction and has to have it at the end; a caller only has to hold some. The halves of an
//! inhale-exhale assertion say so. Where only the precondition has an `AutoValue`, the check at the end is added.

use silver::syntax::tree as s;
use source::Span;

use super::origin::Role;
use super::permissions::Location;
use super::prelude::Theory;
use super::scope::Scope;
use crate::syntax::tree::{BinaryOperator, Contract, Expression, ExpressionKind};

/// Where an `AutoValue` stands.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) enum AutoPlace {
    /// It is like `Value`.
    #[default]
    Function,
    Precondition,
    Postcondition,
}

impl<'t> Scope<'_, 't> {
    pub(super) fn auto_value(
        &mut self,
        location: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        if self.auto_place == AutoPlace::Function {
            return self.some_permission(location, expression);
        }
        let Location::One(location) = self.location(location) else {
            return self.unsupported(place, "`AutoValue` of many locations");
        };
        let held = self.auto_access(location.clone(), place);
        let mut build = self.at(place);
        let amount = build.expression(s::ExpressionKind::CurrentPermission(location));
        let none = build.no_permission();
        let some = build.less(none, amount);
        let kind = match self.auto_place {
            AutoPlace::Precondition => s::ExpressionKind::InhaleExhale(held, some),
            _ => s::ExpressionKind::InhaleExhale(some, held),
        };
        self.at(place).expression(kind)
    }

    fn auto_access(&mut self, location: s::Expression, place: Span) -> s::Expression {
        self.lowering.need(Theory::AnyRead);
        let mut build = self.at(place);
        let amount = build.call("any_read", Vec::new());
        build.access(location, amount)
    }

    /// The checks at the end for what only the precondition has.
    pub(super) fn leak_checks(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let mut returned = Vec::new();
        for assertion in contract.everywhere().chain(contract.postconditions()) {
            self.auto_locations(assertion, &mut returned);
        }
        let mut checks = Vec::new();
        for assertion in contract.everywhere().chain(contract.preconditions()) {
            let mark = self.lowering.origins.mark();
            if let Some(check) = self.specification(|scope| scope.leak_check(assertion, &returned)) {
                let mut build = self.at(assertion.span);
                let truth = build.bool(true);
                let kind = s::ExpressionKind::InhaleExhale(truth, check);
                let check = build.expression_as(Role::Base("autoValueLeak"), kind);
                checks.push(build.specification(check));
                self.lowering.origins.add_region(mark, Role::Base("autoValueLeak"));
            }
        }
        checks
    }

    /// The texts of the locations of `AutoValue`s.
    fn auto_locations(&self, expression: &'t Expression, found: &mut Vec<String>) {
        if let ExpressionKind::AutoValue(location) = &*expression.kind {
            found.push(self.lowering.map.text(location.span).to_string());
        }
        expression.kind.for_each_child(&mut |child| self.auto_locations(child, found));
    }

    fn leak_check(&mut self, assertion: &'t Expression, returned: &[String]) -> Option<s::Expression> {
        let place = assertion.span;
        match &*assertion.kind {
            ExpressionKind::AutoValue(location) => {
                if returned.iter().any(|text| *text == self.lowering.map.text(location.span)) {
                    return None;
                }
                match self.location(location) {
                    Location::One(location) => Some(self.auto_access(location, place)),
                    _ => None,
                }
            }
            ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Star, left, right) => {
                let left = self.leak_check(left, returned);
                let right = self.leak_check(right, returned);
                match (left, right) {
                    (Some(left), Some(right)) => Some(self.at(place).and(left, right)),
                    (one, other) => one.or(other),
                }
            }
            ExpressionKind::Binary(BinaryOperator::Implies, condition, body) => {
                let body = self.leak_check(body, returned)?;
                let condition = self.expression(condition);
                let mut build = self.at(place);
                let before = build.expression(s::ExpressionKind::Old(None, condition));
                Some(build.implies(before, body))
            }
            ExpressionKind::Let { binding, value, body } => {
                let value = self.expression(value);
                let name = self.declare(binding.id, &binding.name.text);
                let body = self.leak_check(body, returned)?;
                let mut build = self.at(place);
                let value = build.expression(s::ExpressionKind::Old(None, value));
                let name = build.name(&name);
                Some(build.expression(s::ExpressionKind::Let { name, value, body }))
            }
            _ => None,
        }
    }
}
