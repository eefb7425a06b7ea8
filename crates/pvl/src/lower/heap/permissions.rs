//! `Perm` and its relatives: locations and amounts.

use std::sync::Arc;

use silver::syntax::tree as s;

use crate::lower::origin::Role;
use crate::lower::prelude::Theory;
use crate::lower::scope::Scope;
use crate::lower::values::conversions::constant_fraction;
use crate::resolve::{CallTarget, NameTarget, Selection, Subscript, Type};
use crate::syntax::tree::{Expression, ExpressionKind, Parameter, PermissionKind, UnaryOperator};

/// What permission can be held for.
pub(crate) enum Location {
    /// A field access or a predicate.
    One(s::Expression),
    /// All elements of an array: the index variable, its bounds, and the location.
    All { index: Arc<str>, range: s::Expression, location: s::Expression, trigger: s::Expression },
    /// A predicate whose body is put in for it.
    Inlined(s::Expression),
    /// Not a location, which has been reported.
    None,
}

/// An amount of permission with the factors of the context.
pub(crate) enum Amount {
    Exact(s::Expression),
    /// Some positive amount, provided that all factors are positive.
    Some {
        guard: Option<s::Expression>,
    },
}

fn is_wildcard(amount: &s::Expression) -> bool {
    matches!(*amount.kind, s::ExpressionKind::Wildcard)
}

impl<'t> Scope<'_, 't> {
    /// The location that an expression names.
    pub(crate) fn location(&mut self, expression: &'t Expression) -> Location {
        let place = expression.span;
        match &*expression.kind {
            ExpressionKind::Trigger(group, inner) => {
                self.add_trigger(*group, inner);
                self.location(inner)
            }
            ExpressionKind::Name(_) => match self.resolution.names.get(&expression.id) {
                Some(NameTarget::Field(id)) => {
                    if self.is_final(*id, expression) {
                        return Location::None;
                    }
                    let this = self.this(place);
                    let class_arguments = self.own_class_arguments(*id);
                    Location::One(self.field_location(*id, class_arguments, this, Role::Plain, place))
                }
                Some(NameTarget::StaticField(id)) => {
                    let location = self.static_field(*id, Role::Plain, place);
                    Location::One(location)
                }
                _ => self.not_a_location(expression),
            },
            ExpressionKind::Field(object, _) => match self.resolution.selections.get(&expression.id) {
                Some(Selection::Field(id)) => {
                    if self.is_final(*id, expression) {
                        return Location::None;
                    }
                    let class_arguments = self.class_arguments_of(object);
                    let object = self.expression(object);
                    Location::One(self.field_location(*id, class_arguments, object, Role::Plain, place))
                }
                Some(Selection::StaticField(id)) => {
                    let location = self.static_field(*id, Role::Plain, place);
                    Location::One(location)
                }
                _ => self.not_a_location(expression),
            },
            ExpressionKind::Index(base, index) => match self.resolution.subscripts.get(&expression.id) {
                Some(Subscript::Array) if matches!(*index.kind, ExpressionKind::AnyIndex) => {
                    self.all_elements(base, expression)
                }
                Some(Subscript::Array) => {
                    let location = self.array_location(base, index, Role::Plain, expression);
                    Location::One(location)
                }
                Some(Subscript::Pointer) => {
                    let location = self.pointer_location(base, Some(index), Role::Plain, expression);
                    Location::One(location)
                }
                _ => self.not_a_location(expression),
            },
            ExpressionKind::Unary(UnaryOperator::Dereference, pointer) => {
                let location = self.pointer_location(pointer, None, Role::Plain, expression);
                Location::One(location)
            }
            ExpressionKind::Call(call) => match self.resolution.calls.get(&expression.id) {
                Some(CallTarget::Routine(target)) if self.is_resource_predicate(target.routine) => {
                    match self.predicate_call(call, target, expression) {
                        Some(predicate) => Location::One(predicate),
                        None => Location::Inlined(self.inlined_call(call, target, expression)),
                    }
                }
                _ => self.not_a_location(expression),
            },
            _ => self.not_a_location(expression),
        }
    }

    fn not_a_location(&mut self, expression: &Expression) -> Location {
        let is_of_model =
            matches!(self.resolution.names.get(&expression.id), Some(NameTarget::ModelField(_)))
                || matches!(self.resolution.selections.get(&expression.id), Some(Selection::ModelField(_)));
        if is_of_model {
            self.unsupported(expression.span, "a field of a model");
            return Location::None;
        }
        let message = "this is not a location on the heap";
        let help = "permission is held for fields, elements of arrays, and predicates";
        self.error("notALocation", expression.span, message, help);
        Location::None
    }

    fn is_final(&mut self, field: crate::syntax::tree::NodeId, expression: &Expression) -> bool {
        let is_final = self.resolution.items.finals.contains(&field);
        if is_final {
            let message = "a final field is a constant: there is no permission for it";
            self.error("finalFieldPerm", expression.span, message, "leave the permission out");
        }
        is_final
    }

    /// The product of the factors of the context and the amount.
    pub(crate) fn amount(&mut self, amount: &'t Expression) -> Amount {
        let place = amount.span;
        if matches!(*amount.kind, ExpressionKind::ReadPermission) {
            return self.some_amount(place);
        }
        let is_positive = constant_fraction(amount).is_some_and(|(numerator, _)| numerator > 0);
        let amount = self.expression(amount);
        if self.spec.factors.iter().any(is_wildcard) {
            // Some of a positive amount is some amount; some of nothing is nothing.
            let Amount::Some { guard } = self.some_amount(place) else { return Amount::Some { guard: None } };
            if is_positive {
                return Amount::Some { guard };
            }
            let mut build = self.at(place);
            let none = build.no_permission();
            let positive = build.less(none, amount);
            let guard = guard.into_iter().fold(positive, |all, guard| build.and(guard, all));
            return Amount::Some { guard: Some(guard) };
        }
        Amount::Exact(self.scaled(amount, place))
    }

    /// The amount times the factors of the context.
    pub(crate) fn scaled(&mut self, amount: s::Expression, place: source::Span) -> s::Expression {
        let factors = self.spec.factors.clone();
        if factors.iter().any(is_wildcard) {
            if !factors.iter().all(is_wildcard) {
                self.unsupported(place, "`read` together with another factor");
            }
            return self.at(place).wildcard();
        }
        let mut build = self.at(place);
        factors.into_iter().rev().fold(amount, |amount, factor| match *amount.kind {
            s::ExpressionKind::FullPermission => factor,
            _ => build.binary(s::BinaryOperator::Multiply, factor, amount),
        })
    }

    pub(crate) fn some_amount(&mut self, place: source::Span) -> Amount {
        let factors = self.spec.factors.clone();
        let mut build = self.at(place);
        let mut guards = Vec::new();
        for factor in factors.into_iter().filter(|factor| !is_wildcard(factor)) {
            let none = build.no_permission();
            guards.push(build.less(none, factor));
        }
        let guard = if guards.is_empty() { None } else { Some(build.all(guards)) };
        Amount::Some { guard }
    }

    /// Permission for a location.
    pub(crate) fn held(&mut self, location: Location, amount: Amount, place: source::Span) -> s::Expression {
        let (amount, guard) = match amount {
            Amount::Exact(amount) => (amount, None),
            Amount::Some { guard } => (self.at(place).wildcard(), guard),
        };
        let mut build = self.at(place);
        let held = match location {
            Location::One(location) => {
                let mut held = build.access(location, amount);
                held.span = build.node(Role::Quantified("notInjective"));
                held
            }
            Location::All { index, range, location, trigger } => {
                let int = build.ty(s::TypeKind::Int);
                let bindings = vec![build.binding(&index, int)];
                let access = build.access(location, amount);
                let body = build.implies(range, access);
                let trigger = build.trigger(vec![trigger]);
                build.forall(bindings, vec![trigger], body)
            }
            Location::Inlined(body) => body,
            Location::None => build.bool(true),
        };
        match guard {
            Some(guard) => build.implies(guard, held),
            None => held,
        }
    }

    pub(crate) fn permission(
        &mut self,
        kind: PermissionKind,
        location: &'t Expression,
        amount: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        if let Some(field) = self.model_location(location) {
            return self.model_permission(kind, field, amount, expression.span);
        }
        if kind != PermissionKind::Perm {
            let message = "this kind of permission is held for fields of models only";
            self.error("notALocation", location.span, message, "write `Perm`");
            return self.at(expression.span).bool(true);
        }
        if self.is_inline_location(location) {
            // The body stands for the predicate, with all its amounts multiplied.
            return self.scale(amount, location);
        }
        let location = self.location(location);
        let amount = self.amount(amount);
        self.held(location, amount, expression.span)
    }

    /// `Value(location)`: some permission.
    pub(crate) fn some_permission(
        &mut self,
        location: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        if self.is_inline_location(location) {
            let some = self.at(expression.span).wildcard();
            return self.scaled_by(some, location);
        }
        let location = self.location(location);
        let amount = self.some_amount(expression.span);
        self.held(location, amount, expression.span)
    }

    pub(crate) fn points_to(
        &mut self,
        location: &'t Expression,
        amount: &'t Expression,
        value: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let target = self.location(location);
        let amount = self.amount(amount);
        let held = self.held(target, amount, expression.span);
        let read = self.expression(location);
        let value = self.expression(value);
        let mut build = self.at(expression.span);
        let equal = build.equal(read, value);
        build.and(held, equal)
    }

    pub(crate) fn current_permission(
        &mut self,
        location: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        match self.location(location) {
            Location::One(location) => {
                self.at(expression.span).expression(s::ExpressionKind::CurrentPermission(location))
            }
            Location::None => self.at(expression.span).no_permission(),
            _ => self.unsupported(expression.span, "the amount held for many locations"),
        }
    }

    /// `[factor]resource`
    pub(crate) fn scale(&mut self, factor: &'t Expression, resource: &'t Expression) -> s::Expression {
        if matches!(*factor.kind, ExpressionKind::ReadPermission) {
            return self.some_permission(resource, resource);
        }
        let is_checked = matches!(self.converted_type(factor), Type::Fraction | Type::ZeroFraction)
            || constant_fraction(factor).is_some();
        let place = factor.span;
        let mut factor = self.expression(factor);
        if !is_checked {
            self.lowering.need(Theory::Fraction);
            factor = self.at(place).call("as_factor", vec![factor]);
        }
        self.scaled_by(factor, resource)
    }

    fn scaled_by(&mut self, factor: s::Expression, resource: &'t Expression) -> s::Expression {
        self.with_factor(factor, |scope| scope.expression(resource))
    }

    pub(crate) fn for_perm(
        &mut self,
        bindings: &'t [Parameter],
        location: &'t Expression,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let mut declared = Vec::new();
        for binding in bindings {
            let ty = self.variable_type(binding.id);
            let ty = self.ty(&ty, binding.span);
            let name = self.declare(binding.id, &binding.name.text);
            declared.push(self.at(binding.span).binding(&name, ty));
        }
        let Location::One(resource) = self.location(location) else {
            return self.unsupported(location.span, "this location of `\\forperm`");
        };
        let body = self.expression(body);
        self.at(expression.span).expression(s::ExpressionKind::ForPerm { bindings: declared, resource, body })
    }
}
