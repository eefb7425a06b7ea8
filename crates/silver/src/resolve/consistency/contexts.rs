//! Rules about where something stands: `old[lhs]` in wands, `wildcard` in accessibility predicates, and what the
//! proof script of a `package` may do.

use super::{Consistency, any};
use crate::typed::{
    Block, ExpressionKind, ExpressionRef, LabelReference, LocalId, PredicateAccess, Resource, Statement,
    StatementKind, Wand, is_pure,
};

#[derive(Clone, Copy)]
struct Context {
    inside_wand: bool,
    inside_access: bool,
}

const OUTSIDE: Context = Context { inside_wand: false, inside_access: false };

impl Consistency<'_> {
    pub(super) fn contexts(&mut self) {
        let program = self.program;
        for axiom in program.domains.iter().flat_map(|domain| &domain.axioms) {
            self.place(&axiom.body, OUTSIDE);
        }
        for function in &program.functions {
            let all = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
            for expression in all {
                self.place(expression, OUTSIDE);
            }
        }
        for body in program.predicates.iter().filter_map(|predicate| predicate.body.as_ref()) {
            self.place(body, OUTSIDE);
        }
        for method in &program.methods {
            for expression in method.preconditions.iter().chain(&method.postconditions) {
                self.place(expression, OUTSIDE);
            }
            if let Some(body) = &method.body {
                self.block(body, OUTSIDE);
            }
        }
    }

    fn block(&mut self, block: &Block, context: Context) {
        for statement in &block.statements {
            self.statement(statement, context);
        }
    }

    fn statement(&mut self, statement: &Statement, context: Context) {
        match &statement.kind {
            StatementKind::Package { wand, proof } => {
                self.proof_script(proof, &proof.locals);
                self.wand(wand);
                self.block(proof, Context { inside_wand: true, ..context });
            }
            StatementKind::Apply(wand) => self.wand(wand),
            StatementKind::Fold(access) | StatementKind::Unfold(access) => self.access(access, context),
            StatementKind::Quasihavoc { condition, resource }
            | StatementKind::QuasihavocAll { condition, resource, .. } => {
                if let Some(condition) = condition {
                    self.place(condition, context);
                }
                self.resource(resource, context);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.place(condition, context);
                self.block(then, context);
                self.block(otherwise, context);
            }
            StatementKind::While { condition, invariants, body } => {
                self.place(condition, context);
                for invariant in invariants {
                    self.place(invariant, context);
                }
                self.block(body, context);
            }
            StatementKind::Block(block) => self.block(block, context),
            _ => crate::typed::for_each_expression(statement, &mut |expression| {
                self.place(expression, context)
            }),
        }
    }

    fn access(&mut self, access: &PredicateAccess, context: Context) {
        access.for_each_child(&mut |child| self.place(child, Context { inside_access: true, ..context }));
    }

    fn resource(&mut self, resource: &Resource, context: Context) {
        match resource {
            Resource::Wand(wand) => self.wand(wand),
            _ => resource.for_each_child(&mut |child| self.place(child, context)),
        }
    }

    fn wand(&mut self, wand: &Wand) {
        self.old_left_in(&wand.left, false);
        self.old_left_in(&wand.right, true);
        let has_ghost_operation = [&wand.left, &wand.right].into_iter().any(|side| {
            any(side, |node| {
                matches!(node.kind, ExpressionKind::Unfolding { .. } | ExpressionKind::Applying { .. })
                    && !is_pure(node)
            })
        });
        if has_ghost_operation {
            self.error(wand.span, "a wand cannot contain an impure `unfolding` or `applying`", "move it out");
        }
        let context = Context { inside_wand: true, inside_access: false };
        self.place(&wand.left, context);
        self.place(&wand.right, context);
    }

    /// `old[lhs]` is known on the right of a wand only.
    fn old_left_in(&mut self, expression: &ExpressionRef, is_right: bool) {
        match &expression.kind {
            ExpressionKind::Wand(wand) => {
                self.old_left_in(&wand.left, false);
                self.old_left_in(&wand.right, true);
            }
            ExpressionKind::LabelledOld { label: LabelReference::WandLeft, body } => {
                if !is_right {
                    let message = "`old[lhs]` can be used on the right of a wand and in its proof only";
                    self.error(expression.span, message, "the left-hand side is that state");
                }
                self.old_left_in(body, is_right);
            }
            _ => expression.for_each_child(&mut |child| self.old_left_in(child, is_right)),
        }
    }

    fn place(&mut self, expression: &ExpressionRef, context: Context) {
        match &expression.kind {
            ExpressionKind::Wand(wand) => return self.wand(wand),
            ExpressionKind::Applying { wand, body } => {
                self.wand(wand);
                return self.place(body, context);
            }
            ExpressionKind::CurrentPermission(resource) | ExpressionKind::ResourceTerm(resource) => {
                return self.resource(resource, context);
            }
            ExpressionKind::ForPerm { resource, body, .. } => {
                self.resource(resource, context);
                return self.place(body, context);
            }
            ExpressionKind::Unfolding { access, body } => {
                self.access(access, context);
                return self.place(body, context);
            }
            ExpressionKind::LabelledOld { label: LabelReference::WandLeft, .. } if !context.inside_wand => {
                let message = "`old[lhs]` can be used in wands and their proofs only";
                self.error(expression.span, message, "use `old` or a label");
            }
            ExpressionKind::Wildcard if !context.inside_access => {
                let message = "`wildcard` can be used as an amount in `acc(…)` only";
                self.error(expression.span, message, "there is no value to compute with");
            }
            _ => {}
        }
        let is_access = matches!(
            expression.kind,
            ExpressionKind::FieldPermission { .. } | ExpressionKind::PredicatePermission(_)
        );
        let inside_access = context.inside_access || is_access;
        expression.for_each_child(&mut |child| self.place(child, Context { inside_access, ..context }));
    }

    /// A proof script may rearrange permissions, but not change the state around it.
    fn proof_script(&mut self, script: &Block, locals: &[LocalId]) {
        for statement in &script.statements {
            let problem = match &statement.kind {
                StatementKind::FieldAssign { .. } => Some("assign fields"),
                StatementKind::New { .. } => Some("create objects"),
                StatementKind::While { .. } => Some("contain loops"),
                StatementKind::Assign { target, .. } if !locals.contains(target) => {
                    Some("assign variables that are declared outside it")
                }
                StatementKind::If { then, otherwise, .. } => {
                    self.proof_script(then, locals);
                    self.proof_script(otherwise, locals);
                    None
                }
                StatementKind::Block(block) => {
                    self.proof_script(block, locals);
                    None
                }
                _ => None,
            };
            if let Some(problem) = problem {
                let message = format!("a proof script cannot {problem}");
                self.error(statement.span, &message, "do it before or after the `package` statement");
            }
        }
    }
}
