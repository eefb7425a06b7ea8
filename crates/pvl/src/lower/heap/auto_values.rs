//! `AutoValue(l)`: some permission that a call neither takes nor has to give back.
//!
//! It is a loan. A method gets an unknown fraction and has to have it at the end, for the location that was meant at
//! the beginning. A caller keeps what it has and only has to hold something beyond what the call takes: that is asked
//! behind all that is taken, so that no other name of the location and no order of clauses gets past it. In a
//! postcondition the caller may rely on still holding something, which is true of what was lent and nothing else; so the
//! method has to show that the location is one of those. The halves of an inhale-exhale assertion say all this.

use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::heap::permissions::Location;
use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::syntax::tree::{BinaryOperator, Contract, Expression, ExpressionKind};

/// Where an `AutoValue` stands.
#[derive(Clone, Debug, Default)]
pub(crate) enum AutoPlace<'t> {
    /// It is like `Value`.
    #[default]
    Function,
    Precondition,
    /// With the clauses of the precondition, which lend something.
    Postcondition {
        lending: Vec<&'t Expression>,
    },
}

/// How what is said about several loans is put together.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Together {
    All,
    Any,
}

impl<'t> Scope<'_, 't> {
    pub(crate) fn auto_value(
        &mut self,
        location: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let place = expression.span;
        let auto_place = self.spec.auto_place.clone();
        if matches!(auto_place, AutoPlace::Function) {
            return self.some_permission(location, expression);
        }
        let Location::One(location) = self.location(location) else {
            return self.unsupported(place, "`AutoValue` of many locations");
        };
        let kind = match auto_place {
            // What the caller has to hold is asked behind the whole precondition.
            AutoPlace::Function | AutoPlace::Precondition => {
                let held = self.auto_access(location, place);
                let truth = self.at(place).bool(true);
                s::ExpressionKind::InhaleExhale(held, truth)
            }
            AutoPlace::Postcondition { lending } => {
                let lent = self.was_lent(&location, &lending, place);
                let some = self.holds_some(location, place);
                s::ExpressionKind::InhaleExhale(some, lent)
            }
        };
        self.at(place).expression(kind)
    }

    fn auto_access(&mut self, location: s::Expression, place: Span) -> s::Expression {
        self.lowering.need(Theory::AnyRead);
        let mut build = self.at(place);
        let amount = build.call("any_read", Vec::new());
        build.access(location, amount)
    }

    fn holds_some(&mut self, location: s::Expression, place: Span) -> s::Expression {
        let mut build = self.at(place);
        let amount = build.expression(s::ExpressionKind::CurrentPermission(location));
        let none = build.no_permission();
        build.less(none, amount)
    }

    /// What the caller has to hold beyond what the precondition takes; behind its other clauses.
    fn loan_checks(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let mut checks = Vec::new();
        for assertion in contract.everywhere().chain(contract.preconditions()) {
            let check = self.specification(|scope| {
                scope.loans(assertion, Together::All, false, &mut |scope, location, place| {
                    Some(scope.holds_some(location, place))
                })
            });
            checks.extend(check.map(|check| self.exhaled_only(check, Role::Plain, assertion.span)));
        }
        checks
    }

    /// The checks at the end that what was lent is there.
    fn leak_checks(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let mut returned = Vec::new();
        for assertion in contract.everywhere().chain(contract.postconditions()) {
            self.auto_locations(assertion, &mut returned);
        }
        let mut checks = Vec::new();
        for assertion in contract.everywhere().chain(contract.preconditions()) {
            let mut promised = Vec::new();
            self.auto_locations(assertion, &mut promised);
            // The same text in the postcondition only decides what a failure is called.
            let is_promised = promised.iter().all(|text| returned.contains(text));
            let role = if is_promised { Role::Plain } else { Role::Base("autoValueLeak") };
            let mark = self.lowering.origins.mark();
            let check = self.specification(|scope| {
                scope.loans(assertion, Together::All, true, &mut |scope, location, place| {
                    Some(scope.auto_access(location, place))
                })
            });
            if let Some(check) = check {
                checks.push(self.exhaled_only(check, role, assertion.span));
                self.lowering.origins.add_region(mark, role);
            }
        }
        checks
    }

    /// The preconditions of a method, with the checks at its calls.
    pub(crate) fn preconditions_with_loans(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        self.with_auto_values(AutoPlace::Precondition, |scope| {
            let mut preconditions = scope.preconditions(contract);
            preconditions.extend(scope.loan_checks(contract));
            preconditions
        })
    }

    /// The postconditions of a method, with the checks at its end.
    pub(crate) fn postconditions_with_loans(&mut self, contract: &'t Contract) -> Vec<s::Specification> {
        let lending = contract.everywhere().chain(contract.preconditions()).collect();
        self.with_auto_values(AutoPlace::Postcondition { lending }, |scope| {
            let mut postconditions = scope.leak_checks(contract);
            postconditions.extend(scope.postconditions(contract));
            postconditions
        })
    }

    fn with_auto_values<T>(&mut self, place: AutoPlace<'t>, work: impl FnOnce(&mut Self) -> T) -> T {
        self.with(|scope| &mut scope.spec.auto_place, place, work)
    }

    /// A method without a body, whose contract shows what the postcondition may read.
    ///
    /// In the postcondition itself an `AutoValue` says that something is held, which is false where the engine looks at
    /// the postcondition alone, so that nothing behind it would be judged.
    pub(crate) fn check_contract_with_loans(
        &mut self,
        contract: &'t Contract,
        (name, place): (&Arc<str>, Span),
        (formals, returns): (&[s::Binding], &[s::Binding]),
        (preconditions, facts): (&[s::Specification], &[s::Specification]),
    ) {
        if !self.has_loans(contract.everywhere().chain(contract.postconditions())) {
            return;
        }
        let method_name = self.lowering.globals.fresh(&format!("{name}_contract"));
        let mut postconditions = facts.to_vec();
        postconditions.extend(self.postconditions(contract));
        let method = s::Method {
            name: self.at(place).name(&method_name),
            formals: formals.to_vec(),
            returns: returns.to_vec(),
            preconditions: preconditions.to_vec(),
            postconditions,
            body: None,
        };
        self.lowering.add_member(place, s::MemberKind::Method(method));
        let shown = self.lowering.map.text(place).to_string();
        self.lowering.describe(&method_name, shown, verdict::MemberKind::Contract, place);
    }

    fn exhaled_only(&mut self, check: s::Expression, role: Role, place: Span) -> s::Specification {
        let mut build = self.at(place);
        let truth = build.bool(true);
        let check = build.expression_as(role, s::ExpressionKind::InhaleExhale(truth, check));
        build.specification(check)
    }

    /// Whether an assertion speaks of loans.
    pub(crate) fn has_loans(&self, assertions: impl Iterator<Item = &'t Expression>) -> bool {
        let mut found = Vec::new();
        assertions.for_each(|assertion| self.auto_locations(assertion, &mut found));
        !found.is_empty()
    }

    /// The texts of the locations of `AutoValue`s.
    fn auto_locations(&self, expression: &'t Expression, found: &mut Vec<String>) {
        if let ExpressionKind::AutoValue(location) = &*expression.kind {
            found.push(self.lowering.map.text(location.span).to_string());
        }
        expression.kind.for_each_child(&mut |child| self.auto_locations(child, found));
    }

    /// That a location is one that the precondition has lent.
    fn was_lent(
        &mut self,
        location: &s::Expression,
        lending: &[&'t Expression],
        place: Span,
    ) -> s::Expression {
        let mut any: Option<s::Expression> = None;
        for assertion in lending {
            let one = self.specification(|scope| {
                scope.loans(assertion, Together::Any, true, &mut |scope, other, _| {
                    scope.same_location(location, &other, place)
                })
            });
            any = match (any, one) {
                (Some(any), Some(one)) => Some(self.at(place).binary(s::BinaryOperator::Or, any, one)),
                (any, one) => any.or(one),
            };
        }
        any.unwrap_or_else(|| self.at(place).bool(false))
    }

    /// That two locations are one; `None` if they cannot be.
    fn same_location(
        &mut self,
        one: &s::Expression,
        other: &s::Expression,
        place: Span,
    ) -> Option<s::Expression> {
        use s::ExpressionKind::{Call, Field};
        match (&*one.kind, &*other.kind) {
            (Field(one, name), Field(other, other_name)) if name.text == other_name.text => {
                Some(self.at(place).equal(one.clone(), other.clone()))
            }
            (Call(name, arguments, _), Call(other_name, others, _))
                if name.text == other_name.text && arguments.len() == others.len() =>
            {
                let mut build = self.at(place);
                let same = arguments.iter().zip(others);
                let same = same.map(|(one, other)| build.equal(one.clone(), other.clone())).collect();
                Some(build.all(same))
            }
            _ => None,
        }
    }

    /// Says something about each loan of an assertion; what decides about a loan, and what its location is, is read in
    /// the state of the beginning if it is `before`.
    fn loans(
        &mut self,
        assertion: &'t Expression,
        together: Together,
        before: bool,
        say: &mut dyn FnMut(&mut Self, s::Expression, Span) -> Option<s::Expression>,
    ) -> Option<s::Expression> {
        let place = assertion.span;
        match &*assertion.kind {
            ExpressionKind::AutoValue(location) => match self.location(location) {
                Location::One(location) => {
                    let location = if before { self.location_before(location, place) } else { location };
                    say(self, location, place)
                }
                // Refused where the clause itself is lowered.
                _ => None,
            },
            ExpressionKind::Binary(BinaryOperator::And | BinaryOperator::Star, left, right) => {
                let left = self.loans(left, together, before, say);
                let right = self.loans(right, together, before, say);
                match (left, right) {
                    (Some(left), Some(right)) => {
                        let operator = match together {
                            Together::All => s::BinaryOperator::And,
                            Together::Any => s::BinaryOperator::Or,
                        };
                        Some(self.at(place).binary(operator, left, right))
                    }
                    (one, other) => one.or(other),
                }
            }
            ExpressionKind::Binary(BinaryOperator::Implies, condition, body) => {
                let body = self.loans(body, together, before, say)?;
                let condition = self.read_then(condition, before);
                let mut build = self.at(place);
                Some(match together {
                    Together::All => build.implies(condition, body),
                    Together::Any => build.and(condition, body),
                })
            }
            ExpressionKind::Conditional(condition, then, otherwise) => {
                let then = self.loans(then, together, before, say);
                let otherwise = self.loans(otherwise, together, before, say);
                if then.is_none() && otherwise.is_none() {
                    return None;
                }
                let condition = self.read_then(condition, before);
                let mut build = self.at(place);
                let nothing = build.bool(together == Together::All);
                let then = then.unwrap_or_else(|| nothing.clone());
                let otherwise = otherwise.unwrap_or(nothing);
                Some(build.conditional(condition, then, otherwise))
            }
            ExpressionKind::Let { binding, value, body } => {
                let value = self.read_then(value, before);
                let name = self.declare(binding.id, &binding.name.text);
                let body = self.loans(body, together, before, say)?;
                let mut build = self.at(place);
                let name = build.name(&name);
                Some(build.expression(s::ExpressionKind::Let { name, value, body }))
            }
            _ => {
                if self.has_loans(std::iter::once(assertion)) {
                    let what = "`AutoValue` in something other than `&&`, `**`, `==>`, `? :` and `\\let`";
                    self.unsupported(place, what);
                }
                None
            }
        }
    }

    fn read_then(&mut self, expression: &'t Expression, before: bool) -> s::Expression {
        let value = self.expression(expression);
        match before {
            true => self.at(expression.span).expression(s::ExpressionKind::Old(None, value)),
            false => value,
        }
    }

    /// The location that an expression named at the beginning.
    fn location_before(&mut self, mut location: s::Expression, place: Span) -> s::Expression {
        let mut old = |value: &mut s::Expression| {
            let now = value.clone();
            *value = self.at(place).expression(s::ExpressionKind::Old(None, now));
        };
        match &mut *location.kind {
            s::ExpressionKind::Field(object, _) => old(object),
            s::ExpressionKind::Call(_, arguments, _) => arguments.iter_mut().for_each(old),
            _ => {}
        }
        location
    }
}
