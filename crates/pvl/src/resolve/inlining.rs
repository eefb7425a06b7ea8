//! What is `inline` is replaced by its body, so it must have one and must not contain itself.

use rustc_hash::{FxHashMap, FxHashSet};
use source::Diagnostic;

use super::{CallTarget, Operation, Resolution};
use crate::codes;
use crate::syntax::tree::{Block, Expression, NodeId, Routine, Statement};

pub(super) fn check(resolution: &Resolution<'_>, order: &[NodeId]) -> Vec<Diagnostic> {
    let mut errors = Vec::new();
    let mut edges = Calls::default();
    let inline: Vec<(NodeId, Routine<'_>)> = order
        .iter()
        .filter_map(|id| Some((*id, *resolution.items.routines.get(id)?)))
        .filter(|(_, routine)| routine.modifiers().is_some_and(|modifiers| modifiers.inline.is_some()))
        .collect();
    for (id, routine) in &inline {
        let called = match routine {
            Routine::Function(function) => function.body.as_ref().map(|body| calls(resolution, [body])),
            Routine::Predicate(predicate) => predicate.body.as_ref().map(|body| calls(resolution, [body])),
            Routine::Method(method) => method.body.as_ref().map(|body| block_calls(resolution, body)),
            Routine::Lemma(_) => None,
        };
        match called {
            Some(called) => {
                edges.insert(*id, called);
            }
            None => errors.push(
                Diagnostic::error(
                    codes::ABSTRACT_INLINE,
                    routine.name().span,
                    format!("`{}` is `inline` but has no body", routine.name().text),
                )
                .help("give it a body, or remove `inline`"),
            ),
        }
    }
    for (id, routine) in &inline {
        if reaches(*id, *id, &edges) {
            errors.push(
                Diagnostic::error(
                    codes::CYCLIC_INLINE,
                    routine.name().span,
                    format!("`{}` is `inline` and contains itself", routine.name().text),
                )
                .help("remove `inline`: what is recursive cannot be replaced by its body"),
            );
        }
    }
    errors
}

/// What calls what.
pub(super) type Calls = FxHashMap<NodeId, Vec<NodeId>>;

/// Whether one routine can get to another by calls.
pub(super) fn reaches(start: NodeId, target: NodeId, edges: &Calls) -> bool {
    let mut seen = FxHashSet::default();
    let mut work = vec![start];
    while let Some(id) = work.pop() {
        for next in edges.get(&id).into_iter().flatten() {
            if *next == target {
                return true;
            }
            if seen.insert(*next) {
                work.push(*next);
            }
        }
    }
    false
}

/// Routines and constructors that expressions call, however deep.
pub(super) fn calls<'tree>(
    resolution: &Resolution<'_>,
    expressions: impl IntoIterator<Item = &'tree Expression>,
) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut work: Vec<&Expression> = expressions.into_iter().collect();
    while let Some(expression) = work.pop() {
        if let Some(CallTarget::Routine(call)) = resolution.calls.get(&expression.id) {
            found.push(call.routine);
        }
        if let Some(Operation::Declared { routine, .. }) = resolution.operations.get(&expression.id) {
            found.push(*routine);
        }
        found.extend(resolution.creations.get(&expression.id).and_then(|creation| creation.constructor));
        for statement in expression.kind.ghost_statements() {
            found.extend(statement_calls(resolution, statement));
        }
        expression.kind.for_each_child(&mut |child| work.push(child));
    }
    found
}

/// Routines that a block calls, in its statements and their contracts.
pub(super) fn block_calls(resolution: &Resolution<'_>, block: &Block) -> Vec<NodeId> {
    block.statements.iter().flat_map(|statement| statement_calls(resolution, statement)).collect()
}

fn statement_calls(resolution: &Resolution<'_>, statement: &Statement) -> Vec<NodeId> {
    let mut found = Vec::new();
    let mut work = vec![statement];
    while let Some(statement) = work.pop() {
        let mut expressions = Vec::new();
        statement.kind.for_each_expression(&mut |expression| expressions.push(expression));
        found.extend(calls(resolution, expressions));
        statement.kind.for_each_child(&mut |child| work.push(child));
    }
    found
}
