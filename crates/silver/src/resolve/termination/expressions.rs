//! Turns an expression into statements that evaluate it and check every application of a function on the way.
//!
//! Branches that exist only for their checks are entered by a nondeterministic choice and end in `inhale false`.

use rustc_hash::FxHashMap;
use source::Span;

use super::Generator;
use super::functions::FunctionContext;
use crate::typed::{
    BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, LocalId, Statement, StatementKind,
    Type, contains_inhale_exhale, map_children, substitute, transplant, when_exhaling,
};

fn inhale(assertion: ExpressionRef) -> Statement {
    let span = assertion.span;
    Statement::new(StatementKind::Inhale(assertion), span)
}

fn branch(
    condition: ExpressionRef,
    then: Vec<Statement>,
    otherwise: Vec<Statement>,
    span: Span,
) -> Statement {
    let kind = StatementKind::If { condition, then: Block::of(then), otherwise: Block::of(otherwise) };
    Statement::new(kind, span)
}

fn scope(locals: Vec<LocalId>, statements: Vec<Statement>, span: Span) -> Statement {
    Statement::new(StatementKind::Block(Block { locals, statements, span: None }), span)
}

impl Generator<'_> {
    /// The statements for an expression; with `inhaling` its permissions are added to the state.
    pub(super) fn walk(
        &mut self,
        expression: &ExpressionRef,
        context: &FunctionContext,
        inhaling: bool,
    ) -> Vec<Statement> {
        let span = expression.span;
        match &expression.kind {
            ExpressionKind::Binary(BinaryOperator::And, left, right) if inhaling => {
                let mut statements = vec![self.inhaled_conjunct(left, context, span)];
                statements.extend(self.walk(right, context, true));
                statements
            }
            ExpressionKind::Binary(operator, left, right) => {
                let mut statements = self.walk(left, context, inhaling);
                let right_statements = self.walk(right, context, inhaling);
                if right_statements.is_empty() {
                    return statements;
                }
                match operator {
                    BinaryOperator::And | BinaryOperator::Implies => {
                        let condition = pure_part(left, context);
                        statements.push(branch(condition, right_statements, Vec::new(), span));
                    }
                    BinaryOperator::Or => {
                        let condition = Expression::not(pure_part(left, context), left.span);
                        statements.push(branch(condition, right_statements, Vec::new(), span));
                    }
                    _ => statements.extend(right_statements),
                }
                statements
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let mut statements = self.walk(condition, context, false);
                let then = self.walk(then, context, inhaling);
                let otherwise = self.walk(otherwise, context, inhaling);
                if !then.is_empty() || !otherwise.is_empty() {
                    statements.push(branch(condition.clone(), then, otherwise, span));
                }
                statements
            }
            ExpressionKind::Unfolding { access, body } => {
                let mut inside =
                    access.amount.as_ref().map_or_else(Vec::new, |amount| self.walk(amount, context, false));
                let body = self.walk(body, context, inhaling);
                if !body.is_empty() {
                    inside.push(Statement::new(StatementKind::Unfold(access.clone()), span));
                    inside.extend(body);
                }
                let otherwise = if inhaling { vec![inhale(expression.clone())] } else { Vec::new() };
                if inside.is_empty() {
                    return otherwise;
                }
                vec![self.aside(inside, otherwise, span)]
            }
            ExpressionKind::Applying { wand, body } => {
                let mut inside = vec![Statement::new(StatementKind::Apply(wand.clone()), span)];
                inside.extend(self.walk(body, context, inhaling));
                vec![self.aside(inside, Vec::new(), span)]
            }
            ExpressionKind::InhaleExhale { inhale, exhale } => {
                let then = self.walk(inhale, context, inhaling);
                let otherwise = self.walk(exhale, context, inhaling);
                if then.is_empty() && otherwise.is_empty() {
                    return Vec::new();
                }
                let condition = Expression::local(context.inhaling, Type::Bool, span);
                vec![branch(condition, then, otherwise, span)]
            }
            ExpressionKind::Let { variable, value, body } => {
                let mut statements = self.walk(value, context, false);
                let body = self.walk(body, context, inhaling);
                if !body.is_empty() {
                    let bound = Expression::local(*variable, value.ty.clone(), span);
                    let equal = Expression::formula(BinaryOperator::Equal, bound, value.clone(), span);
                    let mut inside = vec![inhale(equal)];
                    inside.extend(body);
                    statements.push(scope(vec![*variable], inside, span));
                }
                statements
            }
            ExpressionKind::FieldPermission { amount, .. } => {
                let mut statements =
                    amount.as_ref().map_or_else(Vec::new, |amount| self.walk(amount, context, false));
                statements.push(inhale(expression.clone()));
                statements
            }
            ExpressionKind::PredicatePermission(access) => {
                let amount = access.amount.as_ref();
                let mut statements = amount.map_or_else(Vec::new, |amount| self.walk(amount, context, false));
                statements.push(inhale(expression.clone()));
                statements
            }
            ExpressionKind::Wand(_) => vec![inhale(expression.clone())],
            ExpressionKind::Forall { variables, body, .. } => {
                let (locals, body) = self.arbitrary(variables, body);
                let statements = self.walk(&body, context, inhaling);
                if statements.is_empty() { statements } else { vec![scope(locals, statements, span)] }
            }
            ExpressionKind::Exists { variables, body, .. } => {
                let (locals, body) = self.arbitrary(variables, body);
                let checks = self.walk(&body, context, inhaling);
                if checks.is_empty() {
                    return checks;
                }
                let mut statements = vec![inhale(body)];
                statements.extend(checks);
                vec![scope(locals, statements, span)]
            }
            ExpressionKind::ForPerm { variables, resource, body } => {
                let (locals, replacements) = self.fresh_copies(variables);
                let inside = self.walk(&substitute(body, &replacements), context, inhaling);
                if inside.is_empty() {
                    return inside;
                }
                let held =
                    Expression::new(ExpressionKind::CurrentPermission(resource.clone()), Type::Perm, span);
                let none = Expression::new(ExpressionKind::NoPermission, Type::Perm, span);
                let positive = Expression::formula(BinaryOperator::PermGreater, held, none, span);
                let positive = substitute(&positive, &replacements);
                vec![scope(locals, vec![branch(positive, inside, Vec::new(), span)], span)]
            }
            ExpressionKind::FunctionApplication { function, arguments } => {
                let mut statements = Vec::new();
                for argument in arguments.iter() {
                    statements.extend(self.walk(argument, context, false));
                }
                statements.extend(self.application_checks(*function, arguments, context, span));
                statements
            }
            ExpressionKind::CurrentPermission(_)
            | ExpressionKind::ResourceTerm(_)
            | ExpressionKind::FieldAccess { .. } => Vec::new(),
            _ => {
                let mut statements = Vec::new();
                for child in expression.children() {
                    statements.extend(self.walk(child, context, false));
                }
                statements
            }
        }
    }

    /// Checks a conjunct aside, then inhales it, so that what follows can rely on it.
    fn inhaled_conjunct(
        &mut self,
        conjunct: &ExpressionRef,
        context: &FunctionContext,
        span: Span,
    ) -> Statement {
        let checks = self.walk(conjunct, context, true);
        // A copy that binds variables of its own.
        let from = self.locals.clone();
        let conjunct = &transplant(conjunct, &from, &mut self.locals, &FxHashMap::default());
        let plain = inhale(conjunct.clone());
        let assumed = if contains_inhale_exhale(conjunct) {
            let condition = Expression::local(context.inhaling, Type::Bool, span);
            branch(condition, vec![plain], vec![inhale(when_exhaling(conjunct))], span)
        } else {
            plain
        };
        self.aside(checks, vec![assumed], span)
    }

    /// `if (nondeterministic) { inside; inhale false } else { otherwise }`
    fn aside(&mut self, mut inside: Vec<Statement>, otherwise: Vec<Statement>, span: Span) -> Statement {
        let choice = self.fresh("b", Type::Bool, span);
        inside.push(inhale(Expression::boolean(false, span)));
        let condition = Expression::local(choice, Type::Bool, span);
        scope(vec![choice], vec![branch(condition, inside, otherwise, span)], span)
    }

    /// Fresh variables with arbitrary values in place of bound ones.
    fn arbitrary(&mut self, variables: &[LocalId], body: &ExpressionRef) -> (Vec<LocalId>, ExpressionRef) {
        let (locals, replacements) = self.fresh_copies(variables);
        (locals, substitute(body, &replacements))
    }

    fn fresh_copies(&mut self, variables: &[LocalId]) -> (Vec<LocalId>, FxHashMap<LocalId, ExpressionRef>) {
        let mut locals = Vec::new();
        let mut replacements = FxHashMap::default();
        for variable in variables {
            let declared = self.locals[variable.index()].clone();
            let local = self.fresh(&declared.name, declared.ty.clone(), declared.span);
            replacements.insert(*variable, Expression::local(local, declared.ty, declared.span));
            locals.push(local);
        }
        (locals, replacements)
    }
}

/// The assertion as a condition: permissions are taken to hold.
fn pure_part(expression: &ExpressionRef, context: &FunctionContext) -> ExpressionRef {
    let span = expression.span;
    match &expression.kind {
        ExpressionKind::FieldPermission { .. }
        | ExpressionKind::PredicatePermission(_)
        | ExpressionKind::Wand(_) => Expression::boolean(true, span),
        ExpressionKind::InhaleExhale { inhale, exhale } => {
            let kind = ExpressionKind::Conditional {
                condition: Expression::local(context.inhaling, Type::Bool, span),
                then: pure_part(inhale, context),
                otherwise: pure_part(exhale, context),
            };
            Expression::new(kind, Type::Bool, span)
        }
        ExpressionKind::Unfolding { access, body } => {
            let (access, body) = (access.clone(), pure_part(body, context));
            expression.with_kind(ExpressionKind::Unfolding { access, body })
        }
        ExpressionKind::Applying { wand, body } => {
            let (wand, body) = (wand.clone(), pure_part(body, context));
            expression.with_kind(ExpressionKind::Applying { wand, body })
        }
        ExpressionKind::Forall { variables, triggers, body } => {
            let (variables, triggers) = (variables.clone(), triggers.clone());
            let body = pure_part(body, context);
            expression.with_kind(ExpressionKind::Forall { variables, triggers, body })
        }
        ExpressionKind::CurrentPermission(_) | ExpressionKind::ForPerm { .. } => expression.clone(),
        _ => map_children(expression, &mut |child| pure_part(child, context)),
    }
}
