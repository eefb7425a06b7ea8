//! Checks in method bodies: before calls, before loops, and at the end of each iteration.

use source::Span;

use super::checks::{Called, Offender, TERMINATION_CONDITION, TUPLE_CONDITION, condition_check, old};
use super::clauses::{Clauses, Tuple};
use super::{Generator, components};
use crate::typed::{
    BinaryOperator, Block, Expression, ExpressionRef, MethodId, MethodOrigin, Statement, StatementKind, Type,
    visit_statements,
};

struct MethodContext {
    /// The measure of the method itself.
    measure: Option<Tuple>,
    method: MethodId,
    components: Vec<usize>,
    /// The clauses of loops that are still to come, in order.
    loops: std::vec::IntoIter<Clauses>,
    /// Whether some measure speaks about predicate instances.
    measures_instances: bool,
}

impl Generator<'_> {
    pub(super) fn methods(&mut self) {
        let edges: Vec<Vec<usize>> = self
            .program
            .methods
            .iter()
            .map(|method| {
                let mut called = Vec::new();
                if let Some(body) = &method.body {
                    visit_statements(body, &mut |statement| {
                        if let StatementKind::Call { method, .. } = &statement.kind
                            && !called.contains(&method.index())
                        {
                            called.push(method.index());
                        }
                    });
                }
                called
            })
            .collect();
        let components = components(&edges);
        for index in 0..self.program.methods.len() {
            let id = MethodId(index as u32);
            if self.program.method(id).origin == MethodOrigin::Source {
                self.method(id, &components);
            }
        }
    }

    fn method(&mut self, id: MethodId, components: &[usize]) {
        let clauses = self.clauses.methods.get(&id).cloned().unwrap_or_default();
        let loops = self.clauses.loops.get(&id).cloned().unwrap_or_default();
        if clauses.tuple.is_none() && loops.iter().all(|clauses| clauses.tuple.is_none()) {
            return;
        }
        let Some(body) = self.program.method(id).body.clone() else { return };
        let measures_instances =
            self.measures_instances(&clauses) || loops.iter().any(|clauses| self.measures_instances(clauses));
        self.locals = self.program.method(id).locals.clone();
        let mut context = MethodContext {
            measure: clauses.tuple,
            method: id,
            components: components.to_vec(),
            loops: loops.into_iter(),
            measures_instances,
        };
        let body = self.block(body, &mut context);
        let target = &mut self.program.methods[id.index()];
        target.locals = std::mem::take(&mut self.locals);
        target.body = Some(body);
    }

    fn block(&mut self, block: Block, context: &mut MethodContext) -> Block {
        let mut statements = Vec::new();
        let Block { locals, statements: inner, span } = block;
        for statement in inner {
            self.statement(statement, context, &mut statements);
        }
        Block { locals, statements, span }
    }

    fn statement(&mut self, statement: Statement, context: &mut MethodContext, out: &mut Vec<Statement>) {
        let Statement { kind, span, annotations } = statement;
        let kind = match kind {
            StatementKind::Call { method, arguments, targets } => {
                out.extend(self.call_checks(method, &arguments, context, span));
                StatementKind::Call { method, arguments, targets }
            }
            StatementKind::While { condition, invariants, body } => {
                let clauses = context.loops.next().unwrap_or_default();
                if let Some(measure) = &context.measure {
                    let entered = condition.clone();
                    let required = match &measure.condition {
                        Some(condition) => {
                            Expression::formula(BinaryOperator::And, old(condition), entered, span)
                        }
                        None => entered,
                    };
                    let given = clauses.termination_condition(span);
                    let offender = Offender { span };
                    out.extend(condition_check(Some(required), given, offender, TERMINATION_CONDITION));
                }
                let body = self.block(body, context);
                let body = match &clauses.tuple {
                    Some(measure) => self.loop_body(measure, &condition, body, span),
                    None => body,
                };
                StatementKind::While { condition, invariants, body }
            }
            StatementKind::If { condition, then, otherwise } => {
                let then = self.block(then, context);
                let otherwise = self.block(otherwise, context);
                StatementKind::If { condition, then, otherwise }
            }
            StatementKind::Block(block) => StatementKind::Block(self.block(block, context)),
            StatementKind::Package { wand, proof } => {
                let proof = self.block(proof, context);
                StatementKind::Package { wand, proof }
            }
            StatementKind::Unfold(access) if context.measures_instances => {
                out.extend(self.unfold_with_instances(access, span));
                return;
            }
            other => other,
        };
        out.push(Statement { kind, span, annotations });
    }

    fn call_checks(
        &mut self,
        callee: MethodId,
        arguments: &[ExpressionRef],
        context: &MethodContext,
        span: Span,
    ) -> Vec<Statement> {
        let Some(caller) = &context.measure else { return Vec::new() };
        let declared = self.program.method(callee);
        let called = Called {
            clauses: self.clauses.methods.get(&callee).cloned().unwrap_or_default(),
            locals: declared.locals.clone(),
            replacements: declared.formals.iter().copied().zip(arguments.iter().cloned()).collect(),
            is_recursive: context.components[callee.index()] == context.components[context.method.index()],
        };
        self.checks_at_call(caller, called, span)
    }

    /// Remembers the measure at the start of an iteration and compares it at the end.
    fn loop_body(&mut self, measure: &Tuple, condition: &ExpressionRef, body: Block, span: Span) -> Block {
        let mut block = Block::default();
        let mut remember = |generator: &mut Self, name: String, value: &ExpressionRef| {
            let local = generator.fresh(&name, value.ty.clone(), value.span);
            block.locals.push(local);
            let kind = StatementKind::Assign { target: local, value: value.clone() };
            block.statements.push(Statement::new(kind, value.span));
            Expression::local(local, value.ty.clone(), value.span)
        };
        let mut before = Vec::new();
        for (index, expression) in measure.expressions.iter().enumerate() {
            before.push(remember(self, format!("old_T{index}"), expression));
        }
        let old_condition =
            measure.condition.as_ref().map(|condition| remember(self, "old_C".to_string(), condition));
        let required = match old_condition {
            Some(old_condition) => {
                Expression::formula(BinaryOperator::And, old_condition, condition.clone(), span)
            }
            None => condition.clone(),
        };
        block.statements.push(Statement::new(StatementKind::Block(body), span));
        let offender = Offender { span: measure.span };
        if let Some(given) = &measure.condition {
            let check = condition_check(Some(required.clone()), given.clone(), offender, TUPLE_CONDITION);
            block.statements.extend(check);
        }
        let check = self.tuple_check(Some(required), &before, &measure.expressions, offender, measure);
        block.statements.extend(check);
        block
    }
}

/// The type of a measure that speaks about predicate instances.
pub(super) fn is_instance_type(program: &crate::typed::Program, ty: &Type) -> bool {
    match ty {
        Type::Domain(domain, _) => program.domain(*domain).name == super::super::predicate_instances::DOMAIN,
        _ => false,
    }
}
