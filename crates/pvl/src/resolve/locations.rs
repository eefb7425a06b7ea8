//! Permissions: what they can be about, and what can be folded.

use source::Diagnostic;

use super::checker::Checker;
use super::{CallTarget, NameTarget, Selection, Subscript, Type};
use crate::codes;
use crate::syntax::tree::{
    Builtin, Expression, ExpressionKind, NodeId, PredicateKind, Routine, UnaryOperator,
};

impl<'tree> Checker<'tree> {
    /// `Perm`, `Value`, `AutoValue` and `PointsTo`.
    pub(super) fn permission(&mut self, expression: &'tree Expression) {
        match &*expression.kind {
            ExpressionKind::Permission { location, amount, .. } => {
                self.location(location);
                self.amount(amount);
            }
            ExpressionKind::Value(location) => {
                self.location(location);
            }
            ExpressionKind::AutoValue(location) => {
                if !self.context.routine_contract {
                    self.error(
                        codes::AUTO_VALUE,
                        expression.span,
                        "`AutoValue` can only stand in the contract of a method or function",
                        "use `Value` here",
                    );
                }
                self.location(location);
            }
            ExpressionKind::PointsTo { location, amount, value } => {
                let ty = self.location(location);
                self.amount(amount);
                self.check(value, &ty);
            }
            _ => {}
        }
    }

    /// An amount of permission, where also `read` can stand.
    pub(super) fn amount(&mut self, amount: &'tree Expression) {
        if matches!(&*amount.kind, ExpressionKind::ReadPermission) {
            self.resolution.expressions.insert(amount.id, Type::Fraction);
            self.resolution.conversions.insert(amount.id, Type::Rational);
            return;
        }
        if let ExpressionKind::Conditional(condition, then, otherwise) = &*amount.kind {
            let has_read =
                [then, otherwise].iter().any(|side| matches!(&*side.kind, ExpressionKind::ReadPermission));
            if has_read {
                self.check(condition, &Type::Boolean);
                self.amount(then);
                self.amount(otherwise);
                self.resolution.expressions.insert(amount.id, Type::Rational);
                return;
            }
        }
        self.check(amount, &Type::Rational);
    }

    /// A place on the heap: a field, an element of an array, a pointer or a predicate. Its type is that of the
    /// value in it.
    pub(super) fn location(&mut self, location: &'tree Expression) -> Type {
        let ty = self.within(|context| context.location = true, |checker| checker.infer(location, None));
        if ty.is_unknown() {
            return ty;
        }
        if self.is_location(location) {
            if self.final_field(location).is_some() {
                self.error(
                    codes::FINAL_PERMISSION,
                    location.span,
                    "a final field never changes and needs no permission",
                    "remove the permission, or `final`",
                );
            }
            return ty;
        }
        let mut error = Diagnostic::error(
            codes::NOT_A_LOCATION,
            location.span,
            "there is no permission to this: it is not a field, an element of an array or a predicate",
        );
        let help = match &*location.kind {
            ExpressionKind::Name(_) => {
                Some("locals and parameters belong to the thread that has them and need no permission")
            }
            ExpressionKind::Index(..) => {
                Some("sequences and maps are values; the permission is to the field that holds them")
            }
            ExpressionKind::Field(..) => Some("the length of an array never changes and needs no permission"),
            _ => None,
        };
        if let Some(help) = help {
            error = error.help(help);
        }
        self.report(error);
        ty
    }

    pub(super) fn is_location(&self, expression: &Expression) -> bool {
        match &*expression.kind {
            ExpressionKind::Name(_) => matches!(
                self.resolution.names.get(&expression.id),
                Some(NameTarget::Field(_) | NameTarget::StaticField(_) | NameTarget::ModelField(_))
            ),
            ExpressionKind::Field(..) => matches!(
                self.resolution.selections.get(&expression.id),
                Some(Selection::Field(_) | Selection::StaticField(_) | Selection::ModelField(_))
            ),
            ExpressionKind::Index(..) => matches!(
                self.resolution.subscripts.get(&expression.id),
                Some(Subscript::Array | Subscript::Pointer)
            ),
            ExpressionKind::Unary(UnaryOperator::Dereference, _) => true,
            ExpressionKind::Call(_) | ExpressionKind::CoalescingCall { .. } => {
                self.predicate_of(expression).is_some()
            }
            ExpressionKind::Trigger(_, inner) => self.is_location(inner),
            _ => false,
        }
    }

    /// The final field that a location is.
    pub(super) fn final_field(&self, location: &Expression) -> Option<NodeId> {
        let field = match &*location.kind {
            ExpressionKind::Name(_) => match self.resolution.names.get(&location.id)? {
                NameTarget::Field(field) | NameTarget::StaticField(field) => *field,
                _ => return None,
            },
            ExpressionKind::Field(..) => match self.resolution.selections.get(&location.id)? {
                Selection::Field(field) | Selection::StaticField(field) => *field,
                _ => return None,
            },
            _ => return None,
        };
        self.resolution.items.finals.contains(&field).then_some(field)
    }

    /// The predicate that a call applies, if it holds permissions.
    fn predicate_of(&self, call: &Expression) -> Option<NodeId> {
        let Some(CallTarget::Routine(target)) = self.resolution.calls.get(&call.id) else { return None };
        match self.resolution.items.routines.get(&target.routine) {
            Some(Routine::Predicate(predicate)) if predicate.kind == PredicateKind::Resource => {
                Some(target.routine)
            }
            _ => None,
        }
    }

    /// What `fold`, `unfold` and `unfolding` work on: a predicate, possibly scaled.
    pub(super) fn fold_target(&mut self, target: &'tree Expression) {
        let application = match &*target.kind {
            ExpressionKind::Scale(_, inner) => inner,
            ExpressionKind::Permission { location, .. } | ExpressionKind::Value(location) => location,
            _ => target,
        };
        self.check(target, &Type::Resource);
        if !matches!(
            &*application.kind,
            ExpressionKind::Call(_) | ExpressionKind::CoalescingCall { .. } | ExpressionKind::Scale(..)
        ) {
            self.not_a_predicate(application);
            return;
        }
        // `[p][q]P(x)` is scaled twice.
        if matches!(&*application.kind, ExpressionKind::Scale(..)) {
            let mut inner = application;
            while let ExpressionKind::Scale(_, next) = &*inner.kind {
                inner = next;
            }
            self.folded_predicate(inner);
            return;
        }
        self.folded_predicate(application);
    }

    fn folded_predicate(&mut self, application: &'tree Expression) {
        let Some(id) = self.predicate_of(application) else {
            // Where the call itself is wrong there is nothing more to say.
            if self.resolution.calls.contains_key(&application.id)
                || !matches!(&*application.kind, ExpressionKind::Call(_))
            {
                self.not_a_predicate(application);
            }
            return;
        };
        if let Some(Routine::Predicate(predicate)) = self.resolution.items.routines.get(&id)
            && predicate.body.is_none()
        {
            let message = format!("the predicate `{}` has no body", predicate.name.text);
            self.error(
                codes::ABSTRACT_FOLD,
                application.span,
                message,
                "only a predicate with `= e` can be folded and unfolded",
            );
        }
    }

    fn not_a_predicate(&mut self, application: &Expression) {
        self.error(
            codes::NOT_A_PREDICATE,
            application.span,
            "this is not the application of a predicate",
            "write `p(…)`, `[f]p(…)`, `Perm(p(…), f)` or `Value(p(…))`",
        );
    }

    /// `AutoValue` is inferred and cannot share a location's field with permissions that are written.
    pub(super) fn check_auto_values(&mut self, assertions: &[&'tree Expression]) {
        let mut automatic = Vec::new();
        let mut written = Vec::new();
        let mut work: Vec<&'tree Expression> = assertions.iter().rev().copied().collect();
        while let Some(expression) = work.pop() {
            match &*expression.kind {
                ExpressionKind::AutoValue(location) => automatic.push((expression, location)),
                ExpressionKind::Permission { location, .. }
                | ExpressionKind::Value(location)
                | ExpressionKind::PointsTo { location, .. } => written.push((expression, location)),
                ExpressionKind::Builtin(Builtin::PolarityDependent, _) => continue,
                _ => {}
            }
            expression.kind.for_each_child(&mut |child| work.push(child));
        }
        for (whole, location) in automatic {
            let Some(field) = self.field_of(location) else { continue };
            let other = written.iter().find(|(_, other)| self.field_of(other) == Some(field));
            if let Some((other, _)) = other {
                let error = Diagnostic::error(
                    codes::COMBINED_AUTO_VALUE,
                    whole.span,
                    "`AutoValue` cannot be combined with other permissions to the same field",
                )
                .label(other.span, "this is another permission to it")
                .help("write all permissions to this field yourself, or none");
                self.report(error);
            }
        }
    }

    /// The field of a location, as far as it has one.
    fn field_of(&self, location: &Expression) -> Option<NodeId> {
        match (self.resolution.names.get(&location.id), self.resolution.selections.get(&location.id)) {
            (Some(NameTarget::Field(field) | NameTarget::StaticField(field)), _)
            | (_, Some(Selection::Field(field) | Selection::StaticField(field))) => Some(*field),
            _ => None,
        }
    }
}
