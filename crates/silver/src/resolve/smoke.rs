//! Smoke detection: `refute false` where a proof could be vacuous.
//!
//! After each `inhale`, at the end of methods, loop bodies and branches, and before each `goto`, it must not be possible
//! to prove `false`. Code behind `unreachable` is left alone, as far as no other branch leads there.

use source::Span;

use crate::typed::{Block, Expression, Method, MethodOrigin, Program, Statement, StatementKind};

/// Marks the statement `unreachable`, which does nothing.
pub(super) const UNREACHABLE: &str = "unreachable";

/// Adds the checks to all methods that were written.
pub(super) fn add_checks(program: &mut Program) {
    for method in program.methods.iter_mut().filter(|method| method.origin == MethodOrigin::Source) {
        check_method(method);
    }
}

fn check_method(method: &mut Method) {
    let Some(body) = method.body.take() else { return };
    let (mut body, reachable) = check_block(body, true);
    if reachable {
        body.statements.push(refute_false(method.span));
    }
    method.body = Some(body);
}

fn refute_false(span: Span) -> Statement {
    let assertion = Expression::boolean(false, span);
    Statement::new(StatementKind::Refute { assertion, is_precaution: true }, span)
}

/// The block with its checks, and whether its end can be reached.
fn check_block(block: Block, mut reachable: bool) -> (Block, bool) {
    let Block { locals, statements: inner, span } = block;
    let mut statements = Vec::new();
    for statement in inner {
        let Statement { kind, span, annotations } = statement;
        let is_marker = annotations.as_ref().is_some_and(|annotations| annotations.has(UNREACHABLE));
        let mut after = None;
        let kind = match kind {
            StatementKind::Block(_) if is_marker => {
                reachable = false;
                continue;
            }
            StatementKind::Inhale(assertion) => {
                after = reachable.then(|| refute_false(span));
                StatementKind::Inhale(assertion)
            }
            StatementKind::Goto(label) => {
                if reachable {
                    statements.push(refute_false(span));
                }
                StatementKind::Goto(label)
            }
            StatementKind::If { condition, then, otherwise } => {
                let (then, then_reachable) = check_branch(then, reachable, span);
                let (otherwise, otherwise_reachable) = check_branch(otherwise, reachable, span);
                reachable = then_reachable || otherwise_reachable;
                StatementKind::If { condition, then, otherwise }
            }
            StatementKind::While { condition, invariants, body } => {
                let (mut body, body_reachable) = check_block(body, reachable);
                if body_reachable {
                    body.statements.push(refute_false(body.span.unwrap_or(span)));
                }
                StatementKind::While { condition, invariants, body }
            }
            StatementKind::Block(inner) => {
                let (inner, inner_reachable) = check_block(inner, reachable);
                reachable = inner_reachable;
                StatementKind::Block(inner)
            }
            other => other,
        };
        statements.push(Statement { kind, span, annotations });
        statements.extend(after);
    }
    (Block { locals, statements, span }, reachable)
}

fn check_branch(block: Block, reachable: bool, span: Span) -> (Block, bool) {
    if block.is_empty() {
        return (block, reachable);
    }
    let (mut block, reachable) = check_block(block, reachable);
    // A branch that jumps away does not reach its end, which is as it should be.
    let jumps = block.statements.last().is_some_and(|last| matches!(last.kind, StatementKind::Goto(_)));
    if reachable && !jumps {
        block.statements.push(refute_false(block.span.unwrap_or(span)));
    }
    (block, reachable)
}
