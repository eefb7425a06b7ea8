//! Rules about single expressions: shapes of quantifiers and triggers, and purity of bodies.

use rustc_hash::FxHashSet;
use source::{Diagnostic, Span};

use super::{Consistency, any};
use crate::codes;
use crate::typed::{
    BinaryOperator, ExpressionKind, ExpressionRef, Local, LocalId, Resource, Trigger, for_each_expression,
    is_collection_operator, is_forbidden_in_trigger, is_pure, visit_expression, visit_statements,
};

impl Consistency<'_> {
    /// Checks every node of an expression on its own.
    pub(super) fn expression(&mut self, expression: &ExpressionRef, locals: &[Local]) {
        visit_expression(expression, &mut |node| {
            match &node.kind {
                ExpressionKind::Unfolding { body, .. }
                | ExpressionKind::Applying { body, .. }
                | ExpressionKind::Asserting { body, .. }
                    if !is_pure(body) =>
                {
                    let help = "assert permissions outside it";
                    self.error(body.span, "the body of this expression must be pure", help);
                }
                ExpressionKind::Let { value, .. } if !is_pure(value) => {
                    self.error(value.span, "only a pure expression can be bound by `let`", "bind a value");
                }
                ExpressionKind::Forall { variables, triggers, body } => {
                    self.triggers_mention(variables, triggers, locals);
                    self.quantified_permission(body);
                }
                ExpressionKind::Exists { variables, triggers, body } => {
                    self.triggers_mention(variables, triggers, locals);
                    if !is_pure(body) {
                        self.error(body.span, "the body of `exists` must be pure", "name a witness instead");
                    }
                }
                _ => {}
            }
            true
        });
    }

    /// Each trigger mentions every variable, and each of its terms at least one.
    fn triggers_mention(&mut self, variables: &[LocalId], triggers: &[Trigger], locals: &[Local]) {
        let mut missing: Vec<LocalId> = Vec::new();
        let mut foreign = Vec::new();
        for trigger in triggers {
            let mut mentioned = FxHashSet::default();
            for expression in trigger.expressions.iter() {
                let in_expression = mentioned_variables(expression);
                if !variables.iter().any(|variable| in_expression.contains(variable)) {
                    foreign.push(expression.span);
                }
                mentioned.extend(in_expression);
            }
            missing.extend(variables.iter().filter(|variable| !mentioned.contains(variable)));
        }
        for variable in missing {
            let local = &locals[variable.index()];
            let help = "otherwise the trigger does not say how to instantiate the quantifier";
            self.error(local.span, &format!("a trigger does not mention `{}`", local.name), help);
        }
        for span in foreign {
            let help = "a term without quantified variables cannot trigger anything";
            self.error(span, "a term of a trigger mentions no quantified variable", help);
        }
    }

    /// After desugaring, an impure quantifier is an accessibility predicate under a condition.
    fn quantified_permission(&mut self, body: &ExpressionRef) {
        let mut has_permission = false;
        visit_expression(body, &mut |node| {
            match node.kind {
                ExpressionKind::Unfolding { .. } => return false,
                ExpressionKind::FieldPermission { .. }
                | ExpressionKind::PredicatePermission(_)
                | ExpressionKind::Wand(_) => has_permission = true,
                _ => {}
            }
            !has_permission
        });
        let has_shape = matches!(
            body.kind,
            ExpressionKind::Binary(BinaryOperator::Implies, ..)
                | ExpressionKind::FieldPermission { .. }
                | ExpressionKind::PredicatePermission(_)
                | ExpressionKind::Wand(_)
        );
        if has_permission && !has_shape {
            let help = "write `forall x: T :: condition ==> acc(…)`";
            self.error(body.span, "this is not a quantified permission", help);
        }
    }

    /// Triggers and `forperm` over the whole program; reported as type errors.
    pub(super) fn quantifier_shapes(&mut self) {
        let program = self.program;
        for domain in &program.domains {
            for axiom in &domain.axioms {
                self.shapes(&axiom.body, &axiom.locals);
            }
        }
        for function in &program.functions {
            let all = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
            for expression in all {
                self.shapes(expression, &function.locals);
            }
        }
        for predicate in &program.predicates {
            if let Some(body) = &predicate.body {
                self.shapes(body, &predicate.locals);
            }
        }
        for method in &program.methods {
            for expression in method.preconditions.iter().chain(&method.postconditions) {
                self.shapes(expression, &method.locals);
            }
            if let Some(body) = &method.body {
                visit_statements(body, &mut |statement| {
                    for_each_expression(statement, &mut |expression| self.shapes(expression, &method.locals));
                });
            }
        }
    }

    fn shape_error(&mut self, span: Span, message: &str, help: &str) {
        self.diagnostics.push(Diagnostic::error(codes::TYPECHECKER, span, message).help(help));
    }

    fn shapes(&mut self, expression: &ExpressionRef, locals: &[Local]) {
        visit_expression(expression, &mut |node| {
            match &node.kind {
                ExpressionKind::Forall { triggers, .. } | ExpressionKind::Exists { triggers, .. } => {
                    for trigger in triggers.iter() {
                        if !trigger.expressions.iter().all(|term| self.is_valid_trigger(term)) {
                            let help = "use applications of functions, field accesses, predicates or collection \
                                        operations, without arithmetic or logical operators";
                            self.shape_error(trigger.span, "this is not a valid trigger", help);
                        }
                    }
                }
                ExpressionKind::ForPerm { variables, resource, .. } => {
                    self.forperm_arguments(variables, resource, node.span, locals);
                }
                _ => {}
            }
            true
        });
    }

    fn forperm_arguments(
        &mut self,
        variables: &[LocalId],
        resource: &Resource,
        span: Span,
        locals: &[Local],
    ) {
        let arguments: Vec<ExpressionRef> = match resource {
            Resource::Field { receiver, .. } => vec![receiver.clone()],
            Resource::Predicate { arguments, .. } => arguments.to_vec(),
            Resource::Wand(wand) => self.program.wand_holes(wand),
        };
        for variable in variables {
            let used = arguments.iter().any(|argument| uses(argument, *variable));
            if !used {
                let name = &locals[variable.index()].name;
                let message = format!("`{name}` is not used in the resource of this `forperm`");
                self.shape_error(span, &message, "quantify only over arguments of the resource");
                break;
            }
        }
        for argument in &arguments {
            let is_variable = matches!(argument.kind, ExpressionKind::Local(_));
            if !is_variable && variables.iter().any(|variable| uses(argument, *variable)) {
                let help = "constrain the argument in the body instead";
                self.shape_error(argument.span, "a quantified variable must be an argument by itself", help);
            }
        }
    }
}

fn uses(expression: &ExpressionRef, variable: LocalId) -> bool {
    any(expression, |node| matches!(&node.kind, ExpressionKind::Local(local) if *local == variable))
}

/// Variables of a trigger; one that a `let` binds counts as what it is bound to, if it is used.
fn mentioned_variables(expression: &ExpressionRef) -> FxHashSet<LocalId> {
    let mut mentioned = FxHashSet::default();
    visit_expression(expression, &mut |node| {
        match &node.kind {
            ExpressionKind::Local(local) => {
                mentioned.insert(*local);
            }
            ExpressionKind::Let { variable, value, body } => {
                let mut inner = mentioned_variables(body);
                if inner.remove(variable) {
                    inner.extend(mentioned_variables(value));
                }
                mentioned.extend(inner);
                return false;
            }
            _ => {}
        }
        true
    });
    mentioned
}

impl Consistency<'_> {
    /// Whether the solver could match the term.
    fn is_valid_trigger(&self, term: &ExpressionRef) -> bool {
        let can_be_matched = match &term.kind {
            ExpressionKind::Old(body) | ExpressionKind::LabelledOld { body, .. } => {
                return self.is_valid_trigger(body);
            }
            ExpressionKind::ResourceTerm(Resource::Wand(wand)) => {
                let holes = self.program.wand_holes(wand);
                return holes.iter().all(|hole| !any(hole, is_forbidden_in_trigger));
            }
            ExpressionKind::FieldAccess { .. }
            | ExpressionKind::ResourceTerm(_)
            | ExpressionKind::FunctionApplication { .. }
            | ExpressionKind::SeqLiteral(_)
            | ExpressionKind::SetLiteral(_)
            | ExpressionKind::MultisetLiteral(_)
            | ExpressionKind::MapLiteral(_)
            | ExpressionKind::SeqUpdate { .. }
            | ExpressionKind::MapUpdate { .. }
            | ExpressionKind::Unary(..) => true,
            ExpressionKind::DomainApplication { function, .. } => {
                self.program.domain_function(*function).interpretation.is_none()
            }
            ExpressionKind::Binary(operator, ..) => is_collection_operator(*operator),
            _ => false,
        };
        can_be_matched && !any(term, is_forbidden_in_trigger)
    }
}
