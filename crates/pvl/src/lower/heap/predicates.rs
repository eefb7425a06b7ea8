//! Resources: predicates, `fold`, `unfold` and `unfolding`.

use std::rc::Rc;
use std::sync::Arc;

use silver::syntax::tree as s;
use source::Span;

use crate::lower::Lowering;
use crate::lower::heap::permissions::{Amount, Location};
use crate::lower::instances::Instance;
use crate::lower::origin::Role;
use crate::lower::scope::Scope;
use crate::syntax::tree::{Expression, ExpressionKind, Predicate};

impl<'t> Lowering<'t> {
    pub(crate) fn lower_predicate(
        &mut self,
        instance: &Instance,
        name: &Arc<str>,
        predicate: &'t Predicate,
        span: Span,
    ) {
        let substitution = Rc::new(self.substitution_for(instance.id, &instance.arguments));
        let has_this = self.has_this(instance.id);
        let mut scope = Scope::new(self, substitution);
        scope.member.is_definition = true;
        let mut formals = Vec::new();
        let mut facts = Vec::new();
        if has_this {
            formals.push(scope.this_formal(predicate.name.span));
        }
        if scope.lowering.is_thread_local(instance) {
            formals.push(scope.thread_formal(predicate.name.span));
        }
        for parameter in &predicate.parameters {
            let (binding, fact) = scope.formal(parameter);
            formals.push(binding);
            facts.extend(fact);
        }
        let body = predicate.body.as_ref().map(|body| {
            let mut conjuncts = Vec::new();
            if has_this {
                conjuncts.push(scope.this_exists(predicate.name.span));
            }
            conjuncts.append(&mut facts);
            conjuncts.push(scope.expression(body));
            scope.at(body.span).all(conjuncts)
        });
        let silver_name = scope.at(predicate.name.span).name(name);
        let kind = s::MemberKind::Predicate(s::Predicate { name: silver_name, formals, body });
        self.add_member(span, kind);
        self.describe_member(name, instance.id, verdict::MemberKind::Predicate, span);
    }
}

/// What `fold`, `unfold` and `unfolding` work on.
pub(crate) enum FoldTarget {
    /// An access to a predicate.
    Access(s::Expression),
    /// The body of an inline predicate.
    Inlined(s::Expression),
    Unknown,
}

impl<'t> Scope<'_, 't> {
    /// `p(…)`, `[f]p(…)`, `Perm(p(…), f)` or `Value(p(…))`
    pub(crate) fn fold_target(&mut self, target: &'t Expression) -> FoldTarget {
        let place = target.span;
        let (location, amount) = match &*target.kind {
            ExpressionKind::Scale(factor, predicate) => (predicate, Some(factor)),
            ExpressionKind::Permission { location, amount, .. } => (location, Some(amount)),
            ExpressionKind::Value(location) => (location, None),
            _ => {
                let write = self.at(place).write();
                return self.fold_target_with(target, Amount::Exact(write), place);
            }
        };
        if self.is_inline_location(location) {
            return FoldTarget::Inlined(self.assertion(target));
        }
        let amount = match amount {
            Some(amount) => self.specification(|scope| scope.amount(amount)),
            None => self.some_amount(place),
        };
        self.fold_target_with(location, amount, place)
    }

    fn fold_target_with(&mut self, location: &'t Expression, amount: Amount, place: Span) -> FoldTarget {
        let (amount, _) = match amount {
            Amount::Exact(amount) => (amount, None),
            Amount::Some { guard } => (self.at(place).wildcard(), guard),
        };
        match self.location(location) {
            Location::One(predicate) => {
                let access = self.at(place).expression_as(
                    Role::Location("unfoldFailed"),
                    s::ExpressionKind::Access(predicate, Some(amount)),
                );
                FoldTarget::Access(access)
            }
            Location::Inlined(body) => FoldTarget::Inlined(body),
            _ => FoldTarget::Unknown,
        }
    }

    pub(crate) fn fold(&mut self, target: &'t Expression, place: Span) {
        if let Some(predicate) = self.folded_predicate(target)
            && predicate.body.is_none()
        {
            let message = format!("`{}` has no body to fold", predicate.name.text);
            self.error("abstractFoldExpr", target.span, message, "give it a body");
            return;
        }
        match self.fold_target(target) {
            FoldTarget::Access(access) => {
                let kind = s::StatementKind::Fold(access);
                let statement = self.at(place).statement_as(Role::Base("foldFailed"), kind);
                self.emit(statement);
            }
            FoldTarget::Inlined(body) => self.assert_as(Role::Base("foldFailed"), body, place),
            FoldTarget::Unknown => {}
        }
    }

    pub(crate) fn unfold(&mut self, target: &'t Expression, place: Span) {
        if let Some(predicate) = self.folded_predicate(target)
            && predicate.body.is_none()
        {
            let message = format!("`{}` has no body to unfold", predicate.name.text);
            self.error("abstractFoldExpr", target.span, message, "give it a body");
            return;
        }
        match self.fold_target(target) {
            FoldTarget::Access(access) => {
                let kind = s::StatementKind::Unfold(access);
                let statement = self.at(place).statement_as(Role::Code("unfoldFailed"), kind);
                self.emit(statement);
            }
            FoldTarget::Inlined(body) => self.assert_as(Role::Base("unfoldFailed"), body, place),
            FoldTarget::Unknown => {}
        }
    }

    /// The predicate that a fold or unfold names.
    fn folded_predicate(&self, target: &'t Expression) -> Option<&'t Predicate> {
        let call = match &*target.kind {
            ExpressionKind::Scale(_, predicate) => predicate,
            ExpressionKind::Permission { location, .. } | ExpressionKind::Value(location) => location,
            _ => target,
        };
        match self.resolution.calls.get(&call.id) {
            Some(crate::resolve::CallTarget::Routine(target)) => {
                match self.resolution.items.routines.get(&target.routine) {
                    Some(crate::syntax::tree::Routine::Predicate(predicate)) => Some(predicate),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    pub(crate) fn unfolding(
        &mut self,
        predicate: &'t Expression,
        body: &'t Expression,
        expression: &'t Expression,
    ) -> s::Expression {
        let target = self.fold_target(predicate);
        let body = self.expression(body);
        match target {
            FoldTarget::Access(access) => self
                .at(expression.span)
                .expression_as(Role::Location("unfoldFailed"), s::ExpressionKind::Unfolding(access, body)),
            _ => body,
        }
    }

    pub(crate) fn assert_as(&mut self, role: Role, assertion: s::Expression, place: Span) {
        let statement = self.at(place).statement_as(role, s::StatementKind::Assert(assertion));
        self.emit(statement);
    }
}
