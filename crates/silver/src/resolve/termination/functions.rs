//! Proof methods for functions with a measure: one for the body, one for the postconditions, one for the precondition.

use source::Span;

use super::checks::Called;
use super::{Generator, applied_functions, components};
use crate::typed::{
    Annotations, BinaryOperator, Block, Expression, ExpressionKind, ExpressionRef, FunctionId,
    FunctionOrigin, LocalId, Method, MethodOrigin, Statement, Type, rewrite_top_down,
};

/// What the walk over an expression of a function needs to know.
pub(super) struct FunctionContext {
    pub(super) function: FunctionId,
    /// Chooses between the two halves of inhale-exhale assertions.
    pub(super) inhaling: LocalId,
    /// The component of each function in the call graph.
    pub(super) components: Vec<usize>,
}

impl Generator<'_> {
    pub(super) fn functions(&mut self) {
        let edges: Vec<Vec<usize>> = self
            .program
            .functions
            .iter()
            .map(|function| {
                let all = function.preconditions.iter().chain(&function.postconditions).chain(&function.body);
                applied_functions(all)
            })
            .collect();
        let components = components(&edges);
        for index in 0..self.program.functions.len() {
            let id = FunctionId(index as u32);
            let has_measure = self.clauses.functions.get(&id).is_some_and(|clauses| clauses.tuple.is_some());
            if has_measure && self.program.function(id).origin == FunctionOrigin::Source {
                self.prove_function(id, &components);
            }
        }
    }

    fn prove_function(&mut self, id: FunctionId, components: &[usize]) {
        let function = self.program.function(id).clone();
        let nested_needed =
            self.clauses.functions.get(&id).is_some_and(|clauses| self.measures_instances(clauses));
        let span = function.span;
        if let Some(body) = &function.body {
            let context = self.begin(id, components, span);
            let mut statements = self.walk(body, &context, false);
            if nested_needed {
                statements = self.with_nested_instances(statements);
            }
            self.add_method(id, "termination_proof", &function.preconditions, statements, Vec::new());
        }
        if !function.postconditions.is_empty() {
            let context = self.begin(id, components, span);
            let result = self.fresh("$result", function.result.clone(), span);
            let posts = conjoin(&function.postconditions);
            let posts = rewrite_top_down(&posts, &mut |node| match &node.kind {
                ExpressionKind::Result => Some(Expression::local(result, node.ty.clone(), node.span)),
                _ => None,
            });
            let mut statements = self.walk(&posts, &context, false);
            if nested_needed {
                statements = self.with_nested_instances(statements);
            }
            let locals = vec![result, context.inhaling];
            self.add_method(id, "posts_termination_proof", &function.preconditions, statements, locals);
        }
        if !function.preconditions.is_empty() {
            let context = self.begin(id, components, span);
            let statements = self.walk(&conjoin(&function.preconditions), &context, true);
            self.add_method(id, "pres_termination_proof", &[], statements, vec![context.inhaling]);
        }
    }

    fn begin(&mut self, id: FunctionId, components: &[usize], span: Span) -> FunctionContext {
        self.locals = self.program.function(id).locals.clone();
        let inhaling = self.fresh("$condInEx", Type::Bool, span);
        FunctionContext { function: id, inhaling, components: components.to_vec() }
    }

    fn add_method(
        &mut self,
        id: FunctionId,
        suffix: &str,
        preconditions: &[ExpressionRef],
        statements: Vec<Statement>,
        locals: Vec<LocalId>,
    ) {
        if statements.is_empty() {
            return;
        }
        let function = self.program.function(id);
        let mut name = format!("{}_{suffix}", function.name);
        while self.program.methods.iter().any(|method| method.name == name) {
            name.push('_');
        }
        let mut preconditions = preconditions.to_vec();
        let mut body = Block { locals, statements, span: None };
        if !self.respect_function_permission_amounts {
            super::wildcards::forget_amounts(&mut preconditions, &mut body);
        }
        self.program.methods.push(Method {
            name,
            span: function.span,
            head: function.head,
            annotations: Annotations::clone(&function.annotations),
            formals: function.formals.clone(),
            returns: Vec::new(),
            preconditions,
            postconditions: Vec::new(),
            labels: Vec::new(),
            body: Some(body),
            origin: MethodOrigin::TerminationProof(id),
            termination: Default::default(),
            assumptions: Vec::new(),
            locals: std::mem::take(&mut self.locals),
        });
    }

    /// The checks at an application of a function inside a function with a measure.
    pub(super) fn application_checks(
        &mut self,
        callee: FunctionId,
        arguments: &[ExpressionRef],
        context: &FunctionContext,
        span: Span,
    ) -> Vec<Statement> {
        let clauses = self.clauses;
        let Some(caller) =
            clauses.functions.get(&context.function).and_then(|clauses| clauses.tuple.as_ref())
        else {
            return Vec::new();
        };
        let declared = self.program.function(callee);
        if declared.origin != FunctionOrigin::Source {
            return Vec::new();
        }
        let called = Called {
            clauses: clauses.functions.get(&callee).cloned().unwrap_or_default(),
            locals: declared.locals.clone(),
            replacements: declared.formals.iter().copied().zip(arguments.iter().cloned()).collect(),
            is_recursive: context.components[callee.index()] == context.components[context.function.index()],
        };
        self.checks_at_call(caller, called, span)
    }
}

fn conjoin(expressions: &[ExpressionRef]) -> ExpressionRef {
    let mut all = expressions.iter().cloned();
    let Some(first) = all.next() else {
        return Expression::boolean(true, Span::new(source::FileId(0), 0, 0));
    };
    all.fold(first, |left, right| {
        let span = left.span;
        Expression::formula(BinaryOperator::And, left, right, span)
    })
}
