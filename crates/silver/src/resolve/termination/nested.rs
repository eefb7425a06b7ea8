//! Measures that are predicate instances: unfolding a predicate makes the instances inside it known as smaller.

use rustc_hash::FxHashMap;
use source::Span;

use super::Generator;
use super::clauses::Clauses;
use super::methods::is_instance_type;
use crate::typed::{
    Block, Expression, ExpressionKind, ExpressionRef, FunctionId, FunctionOrigin, LocalId, PredicateAccess,
    PredicateId, Statement, StatementKind, Type, transplant,
};

impl Generator<'_> {
    pub(super) fn measures_instances(&self, clauses: &Clauses) -> bool {
        let tuple = clauses.tuple.as_ref();
        tuple.is_some_and(|tuple| {
            tuple.expressions.iter().any(|expression| is_instance_type(self.program, &expression.ty))
        })
    }

    /// Replaces every `unfold` in some statements.
    pub(super) fn with_nested_instances(&mut self, statements: Vec<Statement>) -> Vec<Statement> {
        let mut result = Vec::new();
        for statement in statements {
            let Statement { kind, span, annotations } = statement;
            let kind = match kind {
                StatementKind::Unfold(access) => {
                    result.extend(self.unfold_with_instances(access, span));
                    continue;
                }
                StatementKind::If { condition, then, otherwise } => StatementKind::If {
                    condition,
                    then: self.nested_block(then),
                    otherwise: self.nested_block(otherwise),
                },
                StatementKind::Block(block) => StatementKind::Block(self.nested_block(block)),
                other => other,
            };
            result.push(Statement { kind, span, annotations });
        }
        result
    }

    fn nested_block(&mut self, block: Block) -> Block {
        let Block { locals, statements, span } = block;
        Block { locals, statements: self.with_nested_instances(statements), span }
    }

    /// `p := #P(…); unfold P(…); inhale nestedPredicates(#Q(…), p)` for each `Q(…)` in the body of `P`.
    pub(super) fn unfold_with_instances(&mut self, access: PredicateAccess, span: Span) -> Vec<Statement> {
        let unfold = Statement::new(StatementKind::Unfold(access.clone()), span);
        if self.nested.is_none() {
            self.error(access.span, "the function `nestedPredicates` is needed but not declared");
            return vec![unfold];
        }
        let Some(outer) = self.instance(access.predicate, access.arguments.to_vec(), span) else {
            return vec![unfold];
        };
        let outer_type = outer.ty.clone();
        let local = self.fresh("instance", outer_type.clone(), span);
        let assign = Statement::new(StatementKind::Assign { target: local, value: outer }, span);
        let declared = self.program.predicate(access.predicate);
        let mut statements = vec![assign, unfold];
        if let Some(body) = declared.body.clone() {
            let replacements: FxHashMap<LocalId, ExpressionRef> =
                declared.formals.iter().copied().zip(access.arguments.iter().cloned()).collect();
            let from = declared.locals.clone();
            let body = transplant(&body, &from, &mut self.locals, &replacements);
            let outer = Expression::local(local, outer_type, span);
            statements.extend(self.nested_in(&body, &outer, span));
        }
        vec![Statement::new(
            StatementKind::Block(Block { locals: vec![local], statements, span: None }),
            span,
        )]
    }

    fn nested_in(&mut self, body: &ExpressionRef, outer: &ExpressionRef, span: Span) -> Vec<Statement> {
        match &body.kind {
            ExpressionKind::PredicatePermission(access) => {
                let Some(nested) = self.nested else { return Vec::new() };
                let Some(inner) = self.instance(access.predicate, access.arguments.to_vec(), span) else {
                    return Vec::new();
                };
                let local = self.fresh("instance", inner.ty.clone(), span);
                let variable = Expression::local(local, inner.ty.clone(), span);
                let assign = Statement::new(StatementKind::Assign { target: local, value: inner }, span);
                let kind = ExpressionKind::DomainApplication {
                    function: nested,
                    type_arguments: [].into(),
                    arguments: [variable, outer.clone()].into(),
                };
                let relation = Expression::new(kind, Type::Bool, span);
                let inhale = Statement::new(StatementKind::Inhale(relation), span);
                let block = Block { locals: vec![local], statements: vec![assign, inhale], span: None };
                vec![Statement::new(StatementKind::Block(block), span)]
            }
            ExpressionKind::Conditional { condition, then, otherwise } => {
                let then = self.nested_in(then, outer, span);
                let otherwise = self.nested_in(otherwise, outer, span);
                branch_if_needed(condition, then, otherwise, span)
            }
            ExpressionKind::Binary(crate::typed::BinaryOperator::Implies, condition, right) => {
                let then = self.nested_in(right, outer, span);
                branch_if_needed(condition, then, Vec::new(), span)
            }
            ExpressionKind::Binary(_, left, right) => {
                let mut statements = self.nested_in(left, outer, span);
                statements.extend(self.nested_in(right, outer, span));
                statements
            }
            _ => Vec::new(),
        }
    }

    /// The application that stands for an instance of a predicate.
    fn instance(
        &mut self,
        predicate: PredicateId,
        arguments: Vec<ExpressionRef>,
        span: Span,
    ) -> Option<ExpressionRef> {
        let index = self
            .program
            .functions
            .iter()
            .position(|function| function.origin == FunctionOrigin::PredicateInstance(predicate));
        let function = match index {
            Some(index) => FunctionId(index as u32),
            None => {
                let domain = self.program.find_domain(super::super::predicate_instances::DOMAIN)?;
                super::super::predicate_instances::add_instance_function(
                    self.program,
                    predicate,
                    domain,
                    span,
                )
            }
        };
        let ty = self.program.function(function).result.clone();
        let kind = ExpressionKind::FunctionApplication { function, arguments: arguments.into() };
        Some(Expression::new(kind, ty, span))
    }
}

fn branch_if_needed(
    condition: &ExpressionRef,
    then: Vec<Statement>,
    otherwise: Vec<Statement>,
    span: Span,
) -> Vec<Statement> {
    if then.is_empty() && otherwise.is_empty() {
        return Vec::new();
    }
    let (then, otherwise) = (Block::of(then), Block::of(otherwise));
    vec![Statement::new(StatementKind::If { condition: condition.clone(), then, otherwise }, span)]
}
