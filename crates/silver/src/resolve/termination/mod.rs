//! Termination: decreases clauses become proof obligations.
//!
//! A function with a measure gets proof methods that walk its body, postconditions and precondition and check the
//! measure at every application of a function. Method bodies get checks before calls and loops and at the end of loop
//! iterations. A tuple decreases if, in lexicographic order, its first component that differs decreases in the
//! well-founded order `decreasing` and is `bounded`. A failed check is `termination.failed` with the reason
//! `tuple.false`, `tuple.condition.false` or `termination.condition.false`.

mod checks;
mod clauses;
mod expressions;
mod functions;
mod methods;
mod nested;
mod wildcards;

use clauses::Clauses;
pub(super) use clauses::{Decreases, Measure, check_postconditions, collect};

use rustc_hash::FxHashMap;
use source::{Diagnostic, Span};

use crate::codes;
use crate::typed::{
    DomainFunctionId, ExpressionKind, ExpressionRef, FunctionId, Local, LocalId, LocalKind, MethodId,
    Program, Termination, Type, visit_expression,
};

/// The clauses of a program, one set for each thing that can terminate.
#[derive(Debug, Default)]
pub(super) struct ProgramClauses {
    pub(super) functions: FxHashMap<FunctionId, Clauses>,
    pub(super) methods: FxHashMap<MethodId, Clauses>,
    pub(super) loops: FxHashMap<MethodId, Vec<Clauses>>,
}

/// Adds all checks to the program; gives the errors that prevent one from being made.
pub(super) fn add_checks(
    program: &mut Program,
    clauses: &ProgramClauses,
    respect_function_permission_amounts: bool,
) -> Vec<Diagnostic> {
    let mut generator = Generator {
        decreasing: find_relation(program, "decreasing", 1, 2),
        bounded: find_relation(program, "bounded", 1, 1),
        nested: find_relation(program, "nestedPredicates", 0, 2),
        program,
        clauses,
        respect_function_permission_amounts,
        locals: Vec::new(),
        diagnostics: Vec::new(),
    };
    generator.note_termination();
    generator.functions();
    generator.methods();
    generator.diagnostics
}

/// A domain function to `Bool` of the wanted shape; a function of another shape only shares the name.
pub(super) fn find_relation(
    program: &Program,
    name: &str,
    type_parameters: usize,
    formals: usize,
) -> Option<DomainFunctionId> {
    let id = program.find_domain_function(name)?;
    let function = program.domain_function(id);
    let has_shape = function.formals.len() == formals
        && function.result == Type::Bool
        && program.domain(function.domain).parameters.len() == type_parameters;
    has_shape.then_some(id)
}

struct Generator<'a> {
    program: &'a mut Program,
    clauses: &'a ProgramClauses,
    decreasing: Option<DomainFunctionId>,
    bounded: Option<DomainFunctionId>,
    nested: Option<DomainFunctionId>,
    respect_function_permission_amounts: bool,
    /// The variables of the method being written.
    locals: Vec<Local>,
    diagnostics: Vec<Diagnostic>,
}

impl Generator<'_> {
    /// Keeps with each member what is said about its end.
    fn note_termination(&mut self) {
        for (id, clauses) in &self.clauses.functions {
            let function = &mut self.program.functions[id.index()];
            let is_stated = clauses.termination_condition(function.span).is_true();
            function.termination = Termination { is_stated, assumed: clauses.assumed.into_iter().collect() };
        }
        for (id, clauses) in &self.clauses.methods {
            let method = &mut self.program.methods[id.index()];
            let is_stated = clauses.termination_condition(method.span).is_true();
            method.termination = Termination { is_stated, assumed: clauses.assumed.into_iter().collect() };
        }
        for (id, loops) in &self.clauses.loops {
            let assumed = loops.iter().filter_map(|clauses| clauses.assumed);
            self.program.methods[id.index()].termination.assumed.extend(assumed);
        }
    }

    fn error(&mut self, span: Span, message: &str) {
        self.diagnostics.push(
            Diagnostic::error(codes::CONSISTENCY, span, message)
                .help("import <decreases/all.vpr> declares it"),
        );
    }

    fn fresh(&mut self, name: &str, ty: Type, span: Span) -> LocalId {
        self.locals.push(Local { name: name.into(), ty, span, kind: LocalKind::Generated });
        LocalId(self.locals.len() as u32 - 1)
    }
}

/// Strongly connected components of a graph: for each vertex the number of its component.
fn components(edges: &[Vec<usize>]) -> Vec<usize> {
    // Two searches with explicit stacks: finishing order, then the reversed graph against it.
    let count = edges.len();
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for root in 0..count {
        if seen[root] {
            continue;
        }
        seen[root] = true;
        let mut stack = vec![(root, 0)];
        while let Some((vertex, next)) = stack.pop() {
            if let Some(&target) = edges[vertex].get(next) {
                stack.push((vertex, next + 1));
                if !seen[target] {
                    seen[target] = true;
                    stack.push((target, 0));
                }
            } else {
                order.push(vertex);
            }
        }
    }
    let mut reversed = vec![Vec::new(); count];
    for (from, targets) in edges.iter().enumerate() {
        for target in targets {
            reversed[*target].push(from);
        }
    }
    let mut component = vec![usize::MAX; count];
    for root in order.into_iter().rev() {
        let mut stack = vec![root];
        while let Some(vertex) = stack.pop() {
            if component[vertex] == usize::MAX {
                component[vertex] = root;
                stack.extend(&reversed[vertex]);
            }
        }
    }
    component
}

/// The functions applied in some expressions.
fn applied_functions<'a>(expressions: impl Iterator<Item = &'a ExpressionRef>) -> Vec<usize> {
    let mut applied = Vec::new();
    for expression in expressions {
        visit_expression(expression, &mut |node| {
            if let ExpressionKind::FunctionApplication { function, .. } = &node.kind
                && !applied.contains(&function.index())
            {
                applied.push(function.index());
            }
            true
        });
    }
    applied
}

#[cfg(test)]
mod tests {
    use super::components;

    #[test]
    fn vertices_on_a_cycle_share_a_component() {
        let component = components(&[vec![1], vec![2], vec![0, 3], vec![]]);
        assert_eq!(component[0], component[1]);
        assert_eq!(component[1], component[2]);
        assert_ne!(component[2], component[3]);
    }
}
