//! Inference for expressions: names, literals, binders, permissions and states.
//!
//! `infer` reads an expression without knowing what is expected of it; `check` decides all types of a whole
//! expression. Bodies of quantifiers are checked on their own, as in Viper.

use std::sync::Arc;

use source::Span;

use super::checker::{Checker, Global};
use super::draft::Draft;
use super::unify::Ty;
use crate::syntax::tree::{self, ExpressionKind as Tree, NewFields};
use crate::typed::{
    Annotations, Expression, ExpressionKind, ExpressionRef, LabelReference, LocalId, LocalKind,
    PredicateAccess, Resource, Trigger, Wand,
};

/// What to do about a label that is not there.
pub(super) const NO_LABEL: &str = "declare it with `label` in this method";

impl Checker {
    /// Checks a whole expression against a type.
    pub(super) fn check(&mut self, expression: &tree::Expression, expected: &Ty) -> ExpressionRef {
        self.check_draft(expression, Some(expected)).0
    }

    /// Checks a whole expression that may have any type.
    pub(super) fn check_any(&mut self, expression: &tree::Expression) -> (ExpressionRef, Ty) {
        self.check_draft(expression, None)
    }

    fn check_draft(&mut self, expression: &tree::Expression, expected: Option<&Ty>) -> (ExpressionRef, Ty) {
        let mark = self.solver.open_choices();
        let lets = self.let_types.len();
        let draft = self.infer(expression);
        if let Some(expected) = expected
            && !self.solver.require(&draft.ty, expected)
        {
            self.mismatch(expression.span, &draft.ty, expected);
            return (Expression::boolean(true, expression.span), Ty::Error);
        }
        if !self.solver.settle(mark) {
            self.error(
                expression.span,
                "the operators in this expression do not fit together",
                "write the types of the operands by naming parts of the expression",
            );
            return (Expression::boolean(true, expression.span), Ty::Error);
        }
        for (local, ty) in self.let_types.drain(lets..) {
            self.member.locals[local.index()].ty = self.solver.ground(&ty);
        }
        let ty = self.solver.shallow(&draft.ty);
        (draft.finish(&self.solver), ty)
    }

    pub(super) fn mismatch(&mut self, span: Span, actual: &Ty, expected: &Ty) {
        let message = format!("expected {}, found {}", self.describe(expected), self.describe(actual));
        let help = match (self.solver.shallow(actual), self.solver.shallow(expected)) {
            (Ty::Int, Ty::Perm) => "write `n/1` for the amount n",
            (Ty::Int, Ty::Bool | Ty::Impure) => "compare the number with something",
            (actual, _) if actual.is_assertion() => "permissions can be asserted, not computed with",
            _ => "check the types of what is combined here",
        };
        self.error(span, message, help);
    }

    pub(super) fn is_error(&self, draft: &Draft) -> bool {
        self.solver.shallow(&draft.ty) == Ty::Error
    }

    pub(super) fn infer(&mut self, expression: &tree::Expression) -> Draft {
        let span = expression.span;
        match &*expression.kind {
            Tree::Int(digits) => Draft::leaf(ExpressionKind::Int(digits.clone()), Ty::Int, span),
            Tree::Bool(value) => Draft::leaf(ExpressionKind::Bool(*value), Ty::Bool, span),
            Tree::Null => Draft::leaf(ExpressionKind::Null, Ty::Ref, span),
            Tree::NoPermission => Draft::leaf(ExpressionKind::NoPermission, Ty::Perm, span),
            Tree::FullPermission => Draft::leaf(ExpressionKind::FullPermission, Ty::Perm, span),
            Tree::Wildcard => Draft::leaf(ExpressionKind::Wildcard, Ty::Perm, span),
            Tree::Epsilon => Draft::leaf(ExpressionKind::Epsilon, Ty::Perm, span),
            Tree::Result => self.result(span),
            Tree::Name(name) => self.variable(name),
            Tree::Unary(operator, operand) => self.unary(*operator, operand, span),
            Tree::Binary(operator, left, right) => self.binary(*operator, left, right, span),
            Tree::Chain(first, rest) => self.chain(first, rest, span),
            Tree::Conditional(condition, then, otherwise) => {
                self.conditional(condition, then, otherwise, span)
            }
            Tree::Field(base, name) => self.field(base, name, span),
            Tree::Call(name, arguments, ty) => self.call(name, arguments, ty.as_ref(), span),
            Tree::PredicateInstance(name, arguments) => self.predicate_instance(name, arguments, span),
            Tree::Access(location, amount) => self.access(location, amount.as_ref(), span),
            Tree::CurrentPermission(resource) => self.current_permission(resource, span),
            Tree::Forall { bindings, triggers, body } => {
                self.quantifier(bindings, triggers, body, span, true)
            }
            Tree::Exists { bindings, triggers, body } => {
                self.quantifier(bindings, triggers, body, span, false)
            }
            Tree::ForPerm { bindings, resource, body } => self.forperm(bindings, resource, body, span),
            Tree::Let { name, value, body } => self.let_expression(name, value, body, span),
            Tree::Unfolding(access, body) => {
                let (access, ok) = self.predicate_access(access, "unfolded");
                let body = self.infer(body);
                if !ok || self.is_error(&body) {
                    return Draft::error(span);
                }
                let ty = body.ty.clone();
                Draft::node(vec![body], ty, span, move |parts| ExpressionKind::Unfolding {
                    access,
                    body: parts.next(),
                })
            }
            Tree::Applying(wand, body) => {
                let (wand, ok) = self.wand(wand);
                let body = self.infer(body);
                if !ok || self.is_error(&body) {
                    return Draft::error(span);
                }
                let ty = body.ty.clone();
                Draft::node(vec![body], ty, span, move |parts| ExpressionKind::Applying {
                    wand,
                    body: parts.next(),
                })
            }
            Tree::Asserting(assertion, body) => self.asserting(assertion, body, span),
            Tree::Old(label, body) => self.old(label.as_ref(), body, span),
            Tree::InhaleExhale(inhale, exhale) => self.inhale_exhale(inhale, exhale, span),
            Tree::Range(low, high) => self.range(low, high, span),
            Tree::Index(base, index) => self.index(base, index, span),
            Tree::Slice(base, low, high) => self.slice(base, low.as_ref(), high.as_ref(), span),
            Tree::Update(base, key, value) => self.update(base, key, value, span),
            Tree::Size(operand) => self.size(operand, span),
            Tree::Collection(kind, ty, elements) => self.collection(*kind, ty.as_ref(), elements, span),
            Tree::Map(types, entries) => self.map_literal(types.as_ref(), entries, span),
            Tree::MapDomain(base) => self.map_projection(base, span, true),
            Tree::MapRange(base) => self.map_projection(base, span, false),
            Tree::New(_) => {
                self.error(
                    span,
                    "`new` can only be the right-hand side of an assignment",
                    "assign it to a variable first",
                );
                Draft::error(span)
            }
            Tree::Annotated(annotation, inner) => {
                let mut draft = self.infer(inner);
                let mut annotations = Annotations::default();
                annotations.add(&annotation.key, annotation.values.iter().map(ToString::to_string));
                for (key, values) in draft.annotations.iter().flat_map(|inner| inner.iter()) {
                    annotations.add(key, values.iter().cloned());
                }
                draft.annotations = Some(Arc::new(annotations));
                draft.span = span;
                draft
            }
        }
    }

    fn current_permission(&mut self, resource: &tree::Expression, span: Span) -> Draft {
        if let Some(place) = self.member.permission_ban {
            self.error(
                span,
                format!("`perm` cannot be used in {place}"),
                "ask for permissions in method bodies or inside `[…, …]`",
            );
            return Draft::error(span);
        }
        let (resource, ok) = self.resource(resource);
        if !ok {
            return Draft::error(span);
        }
        Draft::leaf(ExpressionKind::CurrentPermission(resource), Ty::Perm, span)
    }

    fn asserting(&mut self, assertion: &tree::Expression, body: &tree::Expression, span: Span) -> Draft {
        let assertion = self.infer(assertion);
        let body = self.infer(body);
        if !self.solver.require(&assertion.ty, &Ty::Impure) {
            self.mismatch(assertion.span, &assertion.ty, &Ty::Impure);
            return Draft::error(span);
        }
        if self.is_error(&assertion) || self.is_error(&body) {
            return Draft::error(span);
        }
        let ty = body.ty.clone();
        Draft::node(vec![assertion, body], ty, span, |parts| ExpressionKind::Asserting {
            assertion: parts.next(),
            body: parts.next(),
        })
    }

    fn result(&mut self, span: Span) -> Draft {
        match &self.member.function_result {
            Some(ty) if self.member.result_allowed => {
                Draft::leaf(ExpressionKind::Result, Ty::from_typed(ty), span)
            }
            _ => {
                self.error(
                    span,
                    "`result` can only be used in postconditions of functions",
                    "name the result of a method by its variable",
                );
                Draft::error(span)
            }
        }
    }

    fn variable(&mut self, name: &tree::Name) -> Draft {
        match self.visible_locals(&name.text).as_slice() {
            [local] => self.local_draft(*local, name.span),
            [] => {
                let help = "declare it, or check its spelling";
                self.error(name.span, format!("the variable `{}` is not declared", name.text), help);
                Draft::error(name.span)
            }
            _ => {
                self.error(
                    name.span,
                    format!("`{}` is declared more than once", name.text),
                    "rename all but one of the declarations",
                );
                Draft::error(name.span)
            }
        }
    }

    fn local_draft(&mut self, local: LocalId, span: Span) -> Draft {
        // A variable bound by `let` has the type of its value, which may still be open.
        let open = self.let_types.iter().rev().find(|(id, _)| *id == local).map(|(_, ty)| ty.clone());
        let ty = open.unwrap_or_else(|| Ty::from_typed(&self.member.locals[local.index()].ty));
        Draft::leaf(ExpressionKind::Local(local), ty, span)
    }

    /// Binds variables of a quantifier in the innermost scope.
    pub(super) fn bind(&mut self, bindings: &[tree::Binding]) -> Arc<[LocalId]> {
        bindings
            .iter()
            .map(|binding| {
                let ty = self.ground_type(&binding.ty);
                self.declare_local(&binding.name, ty, LocalKind::Bound)
            })
            .collect()
    }

    fn quantifier(
        &mut self,
        bindings: &[tree::Binding],
        triggers: &[tree::Trigger],
        body: &tree::Expression,
        span: Span,
        universal: bool,
    ) -> Draft {
        let errors = self.diagnostics.len();
        self.enter_scope();
        let variables = self.bind(bindings);
        let expected = if universal { Ty::Impure } else { Ty::Bool };
        let (typed_body, body_ty) = self.check_draft(body, Some(&expected));
        let triggers: Arc<[Trigger]> = triggers.iter().map(|trigger| self.trigger(trigger)).collect();
        self.leave_scope();
        if self.diagnostics.len() > errors && body_ty == Ty::Error {
            return Draft::error(span);
        }
        let ty = if body_ty.is_assertion() { Ty::Impure } else { Ty::Bool };
        if universal && ty == Ty::Impure {
            let desugared = self.desugar_quantified_permission(variables, triggers, typed_body, span);
            return Draft::finished(desugared, ty);
        }
        let kind = if universal {
            ExpressionKind::Forall { variables, triggers, body: typed_body }
        } else {
            ExpressionKind::Exists { variables, triggers, body: typed_body }
        };
        Draft::leaf(kind, ty, span)
    }

    fn trigger(&mut self, trigger: &tree::Trigger) -> Trigger {
        let expressions = trigger
            .expressions
            .iter()
            .map(|expression| {
                let (typed, _) = self.check_any(expression);
                as_trigger_term(&typed)
            })
            .collect();
        Trigger { expressions, span: trigger.span }
    }

    fn forperm(
        &mut self,
        bindings: &[tree::Binding],
        resource: &tree::Expression,
        body: &tree::Expression,
        span: Span,
    ) -> Draft {
        if let Some(place) = self.member.permission_ban {
            self.error(
                span,
                format!("`forperm` cannot be used in {place}"),
                "ask for permissions in method bodies or inside `[…, …]`",
            );
        }
        self.enter_scope();
        let variables = self.bind(bindings);
        let ban = self.member.permission_ban.replace("bodies of `forperm`");
        let body = self.check(body, &Ty::Bool);
        self.member.permission_ban = ban;
        let (resource, ok) = self.resource(resource);
        self.leave_scope();
        if !ok {
            return Draft::error(span);
        }
        Draft::leaf(ExpressionKind::ForPerm { variables, resource, body }, Ty::Bool, span)
    }

    fn let_expression(
        &mut self,
        name: &tree::Name,
        value: &tree::Expression,
        body: &tree::Expression,
        span: Span,
    ) -> Draft {
        let value = self.infer(value);
        self.enter_scope();
        let local = self.declare_local(name, crate::typed::Type::Int, LocalKind::Bound);
        self.let_types.push((local, value.ty.clone()));
        let body = self.infer(body);
        self.leave_scope();
        if self.is_error(&value) || self.is_error(&body) {
            return Draft::error(span);
        }
        let ty = body.ty.clone();
        Draft::node(vec![value, body], ty, span, move |parts| ExpressionKind::Let {
            variable: local,
            value: parts.next(),
            body: parts.next(),
        })
    }

    fn old(&mut self, label: Option<&tree::Name>, body: &tree::Expression, span: Span) -> Draft {
        let body = self.infer(body);
        if self.is_error(&body) {
            return Draft::error(span);
        }
        if self.solver.shallow(&body.ty).is_assertion() {
            self.error(
                body.span,
                "`old` applies to values, not to assertions about permissions",
                "apply it to the values inside the assertion",
            );
            return Draft::error(span);
        }
        let ty = body.ty.clone();
        let label = match label {
            None => return Draft::node(vec![body], ty, span, |parts| ExpressionKind::Old(parts.next())),
            Some(label) if &*label.text == "lhs" => LabelReference::WandLeft,
            Some(label) => match self.find_label(&label.text) {
                Some(found) => LabelReference::Label(found),
                None => {
                    self.inconsistent(span, format!("there is no label `{}`", label.text), NO_LABEL);
                    LabelReference::WandLeft
                }
            },
        };
        Draft::node(vec![body], ty, span, move |parts| ExpressionKind::LabelledOld {
            label,
            body: parts.next(),
        })
    }

    fn access(
        &mut self,
        location: &tree::Expression,
        amount: Option<&tree::Expression>,
        span: Span,
    ) -> Draft {
        let inner = self.infer(location);
        if self.in_measure && matches!(&*location.kind, Tree::Call(..)) {
            return inner;
        }
        let amount = amount.map(|amount| self.infer(amount));
        if self.is_error(&inner) || amount.as_ref().is_some_and(|amount| self.is_error(amount)) {
            return Draft::error(span);
        }
        let location_ty = self.solver.shallow(&inner.ty);
        let is_field = matches!(&*location.kind, Tree::Field(..)) && !self.is_adt_access(location);
        if !is_field && location_ty != Ty::Predicate {
            self.error(
                location.span,
                "permission can be held to a field or a predicate, not to this",
                "write `acc(x.f)` or `acc(P(…))`",
            );
            return Draft::error(span);
        }
        let mut children = vec![inner];
        if let Some(amount) = amount {
            if !self.solver.require(&amount.ty, &Ty::Perm) {
                self.mismatch(amount.span, &amount.ty, &Ty::Perm);
                return Draft::error(span);
            }
            children.push(amount);
        }
        let ty = if is_field { Ty::Impure } else { Ty::Predicate };
        Draft::node(children, ty, span, |parts| {
            let location = parts.next();
            let amount = parts.children.pop();
            match &location.kind {
                ExpressionKind::FieldAccess { receiver, field } => {
                    ExpressionKind::FieldPermission { receiver: receiver.clone(), field: *field, amount }
                }
                ExpressionKind::PredicatePermission(access) => {
                    ExpressionKind::PredicatePermission(PredicateAccess {
                        amount: amount.or_else(|| access.amount.clone()),
                        ..access.clone()
                    })
                }
                other => other.clone(),
            }
        })
    }

    /// Runs a step in which predicates are assertions again.
    fn outside_measure<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        let in_measure = std::mem::replace(&mut self.in_measure, false);
        let result = step(self);
        self.in_measure = in_measure;
        result
    }

    /// What `perm` and `forperm` speak about; false after an error.
    pub(super) fn resource(&mut self, resource: &tree::Expression) -> (Resource, bool) {
        let (typed, ty) = self.outside_measure(|checker| checker.check_any(resource));
        if let Some(found) = Resource::named_by(&typed) {
            return (found, true);
        }
        if ty != Ty::Error {
            self.error(
                resource.span,
                "expected a field access, a predicate or a wand",
                "write `x.f`, `P(…)` or `A --* B`",
            );
        }
        let dummy = Expression::boolean(true, resource.span);
        (Resource::Wand(Wand { left: dummy.clone(), right: dummy, span: resource.span }), false)
    }

    /// A wand, as `apply` and its like need it; false after an error.
    pub(super) fn wand(&mut self, wand: &tree::Expression) -> (Wand, bool) {
        let (typed, ty) = self.outside_measure(|checker| checker.check_any(wand));
        if let ExpressionKind::Wand(wand) = &typed.kind {
            return (wand.clone(), true);
        }
        if ty != Ty::Error {
            self.error(wand.span, "expected a magic wand", "write `A --* B`");
        }
        let dummy = Expression::boolean(true, wand.span);
        (Wand { left: dummy.clone(), right: dummy, span: wand.span }, false)
    }

    /// `P(…)` or `acc(P(…), p)` of a predicate with a body; false after an error.
    pub(super) fn predicate_access(
        &mut self,
        access: &tree::Expression,
        action: &str,
    ) -> (PredicateAccess, bool) {
        let dummy = PredicateAccess {
            predicate: crate::typed::PredicateId(0),
            arguments: Arc::from([]),
            amount: None,
            span: access.span,
        };
        let call = match &*access.kind {
            Tree::Access(location, _) => location,
            _ => access,
        };
        let Tree::Call(name, _, _) = &*call.kind else {
            self.error(access.span, "expected a predicate", "write `P(…)` or `acc(P(…), p)`");
            self.check_any(access);
            return (dummy, false);
        };
        let mut predicates = Vec::new();
        for global in self.global(&name.text) {
            if let Global::Predicate(predicate) = global {
                predicates.push(*predicate);
            }
        }
        let mut ok = true;
        match predicates.as_slice() {
            [] => {
                self.error(
                    name.span,
                    format!("`{}` is not a predicate", name.text),
                    "declare it with `predicate`",
                );
                ok = false;
            }
            [predicate] if self.bodyless_predicates.contains(predicate) => {
                self.error(
                    name.span,
                    format!("abstract predicate `{}` cannot be {action}", name.text),
                    "give the predicate a body",
                );
                ok = false;
            }
            [_] => {}
            _ => {
                self.error(
                    name.span,
                    format!("predicate `{}` is declared more than once", name.text),
                    "rename all but one of the declarations",
                );
                ok = false;
            }
        }
        let (typed, ty) = self.outside_measure(|checker| checker.check_any(access));
        match &typed.kind {
            ExpressionKind::PredicatePermission(found) if ty != Ty::Error => {
                (PredicateAccess { span: access.span, ..found.clone() }, ok)
            }
            _ => (dummy, false),
        }
    }

    /// Whether `e.name` reads an ADT instead of a field.
    pub(super) fn is_adt_access(&self, expression: &tree::Expression) -> bool {
        match &*expression.kind {
            Tree::Field(_, name) => {
                self.destructors.contains_key(&name.text) || self.discriminated(&name.text).is_some()
            }
            _ => false,
        }
    }

    /// The fields of `new(…)`; reports unknown ones.
    pub(super) fn new_fields(&mut self, fields: &NewFields) -> Vec<crate::typed::FieldId> {
        match fields {
            NewFields::All => (0..self.program.fields.len() as u32).map(crate::typed::FieldId).collect(),
            NewFields::Listed(names) => names.iter().filter_map(|name| self.find_field(name)).collect(),
        }
    }

    /// The field of a name; reports if there is none or more than one.
    pub(super) fn find_field(&mut self, name: &tree::Name) -> Option<crate::typed::FieldId> {
        let mut found = Vec::new();
        for global in self.global(&name.text) {
            if let Global::Field(field) = global {
                found.push(*field);
            }
        }
        match found.as_slice() {
            [field] => Some(*field),
            [] => {
                let help = "declare it with `field name: Type`";
                self.error(name.span, format!("the field `{}` is not declared", name.text), help);
                None
            }
            _ => {
                self.error(
                    name.span,
                    format!("the field `{}` is declared more than once", name.text),
                    "rename all but one of the declarations",
                );
                None
            }
        }
    }
}

/// A trigger mentions predicates and wands as such, not as assertions.
fn as_trigger_term(expression: &ExpressionRef) -> ExpressionRef {
    match &expression.kind {
        ExpressionKind::PredicatePermission(access) => {
            expression.with_kind(ExpressionKind::ResourceTerm(Resource::Predicate {
                predicate: access.predicate,
                arguments: access.arguments.clone(),
                span: access.span,
            }))
        }
        ExpressionKind::Wand(wand) => {
            expression.with_kind(ExpressionKind::ResourceTerm(Resource::Wand(wand.clone())))
        }
        _ => expression.clone(),
    }
}
